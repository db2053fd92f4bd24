// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package db simulates a database: a server with a line protocol over loopback TCP, and a pool
// of connections to it. It stores nothing. It makes answers from the key, and sleeps for the
// time that a real database would take.
package db

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"net"
	"strings"
	"time"
)

// The time of each kind of query on the server. Exchange rates are an aggregate over a large
// table, so they take long; all other queries are look-ups in an index.
var cost = map[string]time.Duration{
	"price":  1 * time.Millisecond,
	"user":   1 * time.Millisecond,
	"insert": 2 * time.Millisecond,
	"rates":  40 * time.Millisecond,
}

// Server answers queries on a loopback address until it is closed.
type Server struct {
	ln net.Listener
}

// Serve starts a server on a free port.
func Serve() (*Server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{ln: ln}
	go s.accept()
	return s, nil
}

// Addr is the address of the server.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Close stops accepting; connections end when their clients close them.
func (s *Server) Close() error { return s.ln.Close() }

func (s *Server) accept() {
	for {
		c, err := s.ln.Accept()
		if err != nil {
			return
		}
		go s.session(c)
	}
}

// session serves one connection: "kind key\n" in, one line of JSON out.
func (s *Server) session(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		kind, key, _ := strings.Cut(strings.TrimSpace(line), " ")
		time.Sleep(cost[kind])
		if _, err := fmt.Fprintln(c, answer(kind, key)); err != nil {
			return
		}
	}
}

func answer(kind, key string) string {
	h := fnv.New32a()
	h.Write([]byte(key))
	n := h.Sum32()
	switch kind {
	case "price":
		return fmt.Sprintf(`{"sku":%q,"cents":%d}`, key, 99+n%9900)
	case "user":
		return fmt.Sprintf(`{"name":%q,"salt":"%08x"}`, key, n)
	case "rates":
		return `{"EUR":1,"USD":1.09,"GBP":0.85,"SEK":11.4,"CHF":0.96,"PLN":4.31}`
	}
	return `{"ok":true}`
}
