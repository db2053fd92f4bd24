// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// store is a driver for database/sql: its connections send each query to the remote process.
type store struct{ far *remote }

type storeConn struct{ c *client }

func (s store) Open(string) (driver.Conn, error)               { return &storeConn{s.far.dial()}, nil }
func (s *storeConn) Prepare(string) (driver.Stmt, error)       { return s, nil }
func (s *storeConn) Begin() (driver.Tx, error)                 { return nil, errors.New("no transactions") }
func (s *storeConn) Close() error                              { return nil }
func (s *storeConn) NumInput() int                             { return 0 }
func (s *storeConn) Query([]driver.Value) (driver.Rows, error) { return nil, errors.New("no rows") }
func (s *storeConn) Exec([]driver.Value) (driver.Result, error) {
	s.c.ask(300 * time.Microsecond)
	return driver.RowsAffected(1), nil
}

func orders(db *sql.DB)  { db.Exec("orders") }
func baskets(db *sql.DB) { db.Exec("baskets") }

// audit keeps a connection, and sends a request to the remote process meanwhile.
func audit(db *sql.DB, c *client) {
	conn, err := db.Conn(context.Background())
	if err != nil {
		return
	}
	c.ask(2 * time.Millisecond)
	conn.Close()
}

// exhaustedDB is a pool of a library that is used from three lines. With the fault it has only two connections.
func exhaustedDB() {
	far := startRemote()
	sql.Register("store", store{far})
	db, _ := sql.Open("store", "")
	db.SetMaxIdleConns(12)
	if !sound {
		db.SetMaxOpenConns(2)
	}
	var c [12]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	each(len(c), func(i int) {
		for k := 0; k < 8; k++ {
			orders(db)
			audit(db, c[i])
			baskets(db)
		}
	})
}

// exhaustedTransport is a pool whose connections are handed over by goroutines of net/http.
func exhaustedTransport() {
	far := startRemote()
	var free = make(chan *client, 12)
	for range cap(free) {
		free <- far.dial()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := <-free
		c.ask(1500 * time.Microsecond)
		free <- c
		io.WriteString(w, "found")
	}))
	t := &http.Transport{MaxIdleConnsPerHost: 12}
	if !sound {
		t.MaxConnsPerHost = 2
	}
	begin()
	each(10, func(int) {
		for k := 0; k < 25; k++ {
			search(&http.Client{Transport: t}, "http://"+l.Addr().String())
		}
	})
}

func search(c *http.Client, url string) {
	r, err := c.Get(url)
	if err != nil {
		return
	}
	io.ReadAll(r.Body)
	r.Body.Close()
}

// limiter lets goroutines through at a rate. With the fault it is much lower than what they ask for.
type limiter struct {
	mu   sync.Mutex
	next time.Time
	each time.Duration
}

func (l *limiter) wait() {
	l.mu.Lock()
	now := time.Now()
	at := l.next
	if at.Before(now) {
		at = now
	}
	l.next = at.Add(l.each)
	l.mu.Unlock()
	if d := at.Sub(now); d > 0 {
		t := time.NewTimer(d)
		<-t.C
	}
}

func upload(c *client, l *limiter) {
	for range 40 {
		l.wait()
		c.ask(100 * time.Microsecond)
	}
}

func rateLimit() {
	far := startRemote()
	l := &limiter{each: 10 * time.Microsecond}
	if !sound {
		l.each = time.Millisecond
	}
	var c [4]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	each(len(c), func(i int) { upload(c[i], l) })
}
