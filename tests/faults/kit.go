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

// rounds calls a function, so that it has a frame: otherwise its caller would be missing in stacks of preemptions.
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

// compute uses d of CPU time. It is inlined, so that stacks attribute the time to its callers.
func compute(d time.Duration) { rounds(int(d.Microseconds()) * perMicro) }

// begin starts the trace. A program calls it after its initialisation.
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

// remote is another process: it answers each request after the time that the request names.
type remote struct{ addr string }

// client is a connection to a remote.
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
