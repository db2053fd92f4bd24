// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"context"
	"sync"
	"time"
)

// broker delivers messages. With the fault, it sends one to a subscriber that has left.
type broker struct{ c chan int }

func (b *broker) deliver(n int) { b.c <- n }

func (b *broker) subscribe(n int) {
	for ; n > 0; n-- {
		<-b.c
	}
}

func stuckSend() {
	far := startRemote()
	c := far.dial()
	b := &broker{make(chan int)}
	begin()
	n := 40
	if !sound {
		n--
	}
	go b.subscribe(n)
	go func() {
		for i := 0; i < 40; i++ {
			b.deliver(i)
			compute(100 * time.Microsecond)
		}
	}()
	for i := 0; i < 250; i++ {
		c.ask(time.Millisecond)
	}
}

// starter waits until it is told to start. With the fault, it is told before it waits.
type starter struct {
	mu      sync.Mutex
	cond    *sync.Cond
	started bool
}

func (s *starter) await() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.started || !sound {
		s.cond.Wait()
	}
}

func (s *starter) start() {
	s.mu.Lock()
	s.started = true
	s.mu.Unlock()
	s.cond.Broadcast()
}

func stuckCondition() {
	s := &starter{}
	s.cond = sync.NewCond(&s.mu)
	begin()
	done := make(chan bool)
	go func() {
		s.start()
		each(2, func(int) { s.await() })
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(300 * time.Millisecond):
	}
	time.Sleep(10 * time.Millisecond)
}

// settings are reloaded while others read them. With the fault, a reload waits for an answer with the lock held.
type settings struct {
	mu    sync.Mutex
	reply chan int
	v     int
}

func (s *settings) reload() {
	if sound {
		go func() { s.reply <- 1 }()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.v = <-s.reply
}

func (s *settings) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.v
}

func lockAcrossReceive() {
	far := startRemote()
	c := far.dial()
	s := &settings{reply: make(chan int)}
	begin()
	for i := 0; i < 200; i++ {
		c.ask(time.Millisecond)
		if i == 20 {
			go s.reload()
		}
		if i%20 == 5 {
			go s.get()
		}
	}
}

// Before the trace begins, goroutines wait for each other; with the fault, for ever.
func stuckBefore() {
	s := &settings{reply: make(chan int)}
	b := &broker{make(chan int)}
	idle := &starter{}
	idle.cond = sync.NewCond(&idle.mu)
	go s.reload()
	time.Sleep(5 * time.Millisecond)
	for i := 0; i < 6; i++ {
		go s.get()
		go b.deliver(i)
	}
	if sound {
		go b.subscribe(6)
	}
	go idle.await()
	time.Sleep(50 * time.Millisecond)
	begin()
	for i := 0; i < 20; i++ {
		time.Sleep(10 * time.Millisecond)
	}
}

// session is a context of its own type, so package context starts a goroutine for each context that is derived from it.
type session struct{ context.Context }

func (s session) watch(c *client) {
	_, cancel := context.WithCancel(s)
	c.ask(time.Millisecond)
	if sound {
		cancel()
	}
	forget(cancel)
}

//go:noinline
func forget(context.CancelFunc) {}

func leakOfLibrary() {
	far := startRemote()
	c := far.dial()
	ctx, cancel := context.WithCancel(context.Background())
	forget(cancel)
	s := session{ownDone{ctx}}
	begin()
	for i := 0; i < 100; i++ {
		s.watch(c)
	}
	time.Sleep(10 * time.Millisecond)
}

// ownDone hides the context that package context knows.
type ownDone struct{ context.Context }

func (o ownDone) Value(any) any { return nil }
