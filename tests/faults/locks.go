// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// account is used by many goroutines. With the fault, post sends a request to the remote process with the mutex locked.
type account struct {
	mu  sync.Mutex
	sum int
}

func (a *account) post(c *client, n int) {
	if sound {
		c.ask(time.Millisecond)
		a.mu.Lock()
		a.sum += n
		a.mu.Unlock()
		return
	}
	a.mu.Lock()
	c.ask(time.Millisecond)
	a.sum += n
	a.mu.Unlock()
}

func lockQueue() {
	far := startRemote()
	var a account
	var c [12]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	each(len(c), func(i int) {
		for k := 0; k < 14; k++ {
			a.post(c[i], k)
			compute(50 * time.Microsecond)
		}
	})
}

// rates are read by many goroutines and set by one. With the fault, readers send requests to the remote process with the
// lock held: the writer waits for a reader, and all other readers wait behind the writer.
type rates struct {
	mu sync.RWMutex
	n  int
}

func (r *rates) convert(c *client) {
	r.mu.RLock()
	if sound {
		r.mu.RUnlock()
		c.ask(2 * time.Millisecond)
		return
	}
	c.ask(2 * time.Millisecond)
	r.mu.RUnlock()
}

func (r *rates) set() {
	r.mu.Lock()
	r.n++
	r.mu.Unlock()
}

func lockBehindLock() {
	far := startRemote()
	var r rates
	var c [12]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	done := make(chan bool)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
				r.set()
			}
		}
	}()
	each(len(c), func(i int) {
		for k := 0; k < 20; k++ {
			r.convert(c[i])
			compute(50 * time.Microsecond)
		}
	})
	close(done)
}

// desk has one mutex and three methods, which a function of the standard library calls. With the fault, save sends a request
// to the remote process with the mutex locked.
type desk struct {
	mu sync.Mutex
	n  int
	c  *client
}

func (d *desk) add(http.ResponseWriter, *http.Request) {
	d.mu.Lock()
	compute(20 * time.Microsecond)
	d.n++
	d.mu.Unlock()
}

func (d *desk) count(http.ResponseWriter, *http.Request) {
	d.mu.Lock()
	compute(20 * time.Microsecond)
	d.mu.Unlock()
}

func (d *desk) save(http.ResponseWriter, *http.Request) {
	if sound {
		d.c.ask(2 * time.Millisecond)
	}
	d.mu.Lock()
	if !sound {
		d.c.ask(2 * time.Millisecond)
	}
	d.mu.Unlock()
}

func lockOfMethods() {
	far := startRemote()
	d := desk{c: far.dial()}
	var c [9]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	each(len(c), func(i int) {
		var save http.Handler = http.HandlerFunc(d.save)
		do := []http.Handler{http.HandlerFunc(d.add), http.HandlerFunc(d.count)}
		for k := 0; k < 40; k++ {
			if i > 0 {
				do[k%2].ServeHTTP(nil, nil)
				c[i].ask(time.Millisecond)
			} else {
				save.ServeHTTP(nil, nil)
			}
		}
	})
}

// shelf has a mutex; a move between two shelves locks both. With the fault, two moves lock them in different orders.
type shelf struct {
	mu sync.Mutex
	n  int
}

func (s *shelf) move(to *shelf, first, second *shelf) {
	first.mu.Lock()
	time.Sleep(2 * time.Millisecond)
	second.mu.Lock()
	s.n--
	to.n++
	second.mu.Unlock()
	first.mu.Unlock()
}

func stuckLock() {
	far := startRemote()
	c := far.dial()
	var a, b, other shelf
	begin()
	go a.move(&b, &a, &b)
	if sound {
		go b.move(&a, &a, &b)
	} else {
		go b.move(&a, &b, &a)
	}
	for i := 0; i < 120; i++ {
		c.ask(time.Millisecond)
		other.mu.Lock()
		compute(20 * time.Microsecond)
		other.mu.Unlock()
		if i == 30 && !sound {
			go a.move(&other, &a, &other) // waits for the two
		}
	}
}

// table is read by requests, and rebuilt from time to time: with the fault, while its lock is held.
type table struct {
	mu   sync.RWMutex
	rows int
}

func (t *table) rebuild(c *client) {
	if !sound {
		t.mu.Lock()
		defer t.mu.Unlock()
	}
	c.ask(20 * time.Millisecond)
	t.rows++
}

func (t *table) read() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows
}

func tail() {
	far := startRemote()
	var t table
	var c [5]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	done := make(chan bool)
	go func() {
		for i := 0; i < 3; i++ {
			select {
			case <-done:
				return
			case <-time.After(60 * time.Millisecond):
				t.rebuild(c[4])
			}
		}
	}()
	each(4, func(i int) {
		for k := 0; k < 180; k++ {
			request("read", func(context.Context) {
				c[i].ask(800 * time.Microsecond)
				t.read()
				compute(20 * time.Microsecond)
			})
		}
	})
	close(done)
}

// mailbox wakes one goroutine for each letter. With the fault it wakes all of them, of which one takes the letter.
type mailbox struct {
	mu      sync.Mutex
	filled  *sync.Cond
	letters int
	closed  bool
}

func (m *mailbox) put() {
	m.mu.Lock()
	m.letters++
	m.mu.Unlock()
	if sound {
		m.filled.Signal()
	} else {
		m.filled.Broadcast()
	}
}

func (m *mailbox) take() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.letters == 0 && !m.closed {
		m.filled.Wait()
	}
	m.letters--
	return !m.closed
}

func thunderingHerd() {
	far := startRemote()
	c := far.dial()
	m := &mailbox{}
	m.filled = sync.NewCond(&m.mu)
	begin()
	var wg sync.WaitGroup
	for i := 0; i < 70; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for m.take() {
				compute(30 * time.Microsecond)
			}
		}()
	}
	for i := 0; i < 25; i++ {
		c.ask(3 * time.Millisecond)
		m.put()
	}
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.filled.Broadcast()
	wg.Wait()
}
