// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

var perMicro int // rounds of work that take a microsecond

//go:noinline
func nothing() {}

// rounds calls a function, so that it has a frame: in stacks where it is preempted its caller would be missing otherwise.
//
//go:noinline
func rounds(n int) uint64 {
	nothing()
	x := uint64(n) | 1
	for i := 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func calibrate() {
	best := time.Hour
	for i := 0; i < 20; i++ {
		t := time.Now()
		rounds(200000)
		best = min(best, time.Since(t))
	}
	perMicro = max(1, int(200000/(best.Microseconds()+1)))
}

// compute takes this much CPU time. It is inlined, so that its callers are seen to work.
func compute(d time.Duration) { rounds(int(d.Microseconds()) * perMicro) }

// begin starts the trace, after what a program does once.
func begin() {
	f, err := os.OpenFile(flag.Arg(1), os.O_WRONLY, 0)
	if err == nil {
		err = trace.Start(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// each runs n goroutines of f and waits for them.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := 0; i < n; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); f(i) }()
	}
	wg.Wait()
}

// request runs f as a user task.
func request(name string, f func(ctx context.Context)) {
	ctx, task := trace.NewTask(context.Background(), name)
	f(ctx)
	task.End()
}

// remote is a process of its own: it answers each question after the time that the question names.
type remote struct{ addr string }

// client is a connection to it.
type client struct{ conn net.Conn }

func (c *client) ask(d time.Duration) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(d))
	c.conn.Write(b[:])
	io.ReadFull(c.conn, b[:])
}

func (r *remote) dial() *client {
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
	return &client{conn}
}
