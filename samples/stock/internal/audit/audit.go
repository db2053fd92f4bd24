// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package audit sends a line for each order to the collector.
package audit

import (
	"bufio"
	"fmt"
	"net"
	"sync"
)

// Log is a connection to the collector.
type Log struct {
	mu   sync.Mutex
	conn net.Conn
	in   *bufio.Reader
	seq  int
}

// Dial connects to the collector.
func Dial(addr string) (*Log, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Log{conn: c, in: bufio.NewReader(c)}, nil
}

// Write sends one line and waits for the answer of the collector.
//
// The fault: the mutex protects the numbers of lines, but it is locked until the collector
// answers. Orders that arrive together wait for each other. To fix it, lock the mutex only to
// number the line, pass the line to one goroutine that sends several at once, and wait for it.
func (l *Log) Write(order string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	if _, err := fmt.Fprintf(l.conn, "%d %s\n", l.seq, order); err != nil {
		return err
	}
	_, err := l.in.ReadString('\n')
	return err
}
