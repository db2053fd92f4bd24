// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package db

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"runtime/trace"
)

type conn struct {
	net.Conn
	in *bufio.Reader
}

// Pool lends connections. The channel has the idle ones: a goroutine that needs one when all
// are lent waits for the channel, and the goroutine that returns one wakes it.
type Pool struct {
	idle chan *conn
}

// Dial opens n connections to a server.
func Dial(addr string, n int) (*Pool, error) {
	p := &Pool{idle: make(chan *conn, n)}
	for range n {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.idle <- &conn{c, bufio.NewReader(c)}
	}
	return p, nil
}

// Close closes the connections that are idle.
func (p *Pool) Close() {
	for {
		select {
		case c := <-p.idle:
			c.Close()
		default:
			return
		}
	}
}

// Query sends one query and waits for its answer.
func (p *Pool) Query(ctx context.Context, kind, key string) ([]byte, error) {
	c, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer p.give(c)

	defer trace.StartRegion(ctx, "db.query").End()
	if _, err := fmt.Fprintf(c, "%s %s\n", kind, key); err != nil {
		return nil, err
	}
	return c.in.ReadBytes('\n')
}

func (p *Pool) take(ctx context.Context) (*conn, error) {
	defer trace.StartRegion(ctx, "db.take").End()
	select {
	case c := <-p.idle:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *Pool) give(c *conn) { p.idle <- c }
