// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package db is a pool of connections to the database.
package db

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
)

// Conn is a lent connection. The borrower has to release it.
type Conn struct {
	net.Conn
	in   *bufio.Reader
	pool *Pool
}

// Pool lends connections. The channel has the idle ones.
type Pool struct {
	idle chan *Conn
}

// Dial opens n connections.
func Dial(addr string, n int) (*Pool, error) {
	p := &Pool{idle: make(chan *Conn, n)}
	for range n {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return nil, err
		}
		p.idle <- &Conn{c, bufio.NewReader(c), p}
	}
	return p, nil
}

// Get borrows a connection. It waits if all are lent.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	select {
	case c := <-p.idle:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Release returns the connection to its pool.
func (c *Conn) Release() { c.pool.idle <- c }

// Query sends a query and returns its answer, one line.
func (c *Conn) Query(kind, key string) (string, error) {
	if _, err := fmt.Fprintf(c, "%s %s\n", kind, key); err != nil {
		return "", err
	}
	line, err := c.in.ReadString('\n')
	return strings.TrimSpace(line), err
}

// Query borrows a connection for one query.
func (p *Pool) Query(ctx context.Context, kind, key string) (string, error) {
	c, err := p.Get(ctx)
	if err != nil {
		return "", err
	}
	defer c.Release()
	return c.Query(kind, key)
}
