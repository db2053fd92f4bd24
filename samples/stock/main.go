// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Stock is a typical service: it uses net/http and a pool of connections to a database, and its
// trace has no user tasks, regions or logs. Its customers, its database and the collector of its
// audit lines run in another process, so the trace has only the service.
//
// It has three faults that can be found in the trace:
//
//   - internal/api: an export keeps its connection while it sends pages, which empties the pool;
//   - internal/api: a basket queries the database once for each of its items;
//   - internal/audit: a line is sent to the collector with the mutex of the log locked.
//
// ../README.md describes how the faults show. ../record.sh records the file beside it.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"strings"
	"time"

	"stock/internal/api"
	"stock/internal/audit"
	"stock/internal/db"
	"stock/internal/outside"
)

const (
	procs = 4
	conns = 4 // to the database
)

func main() {
	file := flag.String("trace", "", "write an execution trace to `FILE`")
	warm := flag.Duration("warm", time.Second, "run this long before the trace")
	length := flag.Duration("for", 1200*time.Millisecond, "trace this long")
	rate := flag.Int("rate", 240, "requests a second")
	flag.Parse()
	var err error
	if flag.Arg(0) == "outside" {
		err = outside.Run(os.Stdin, os.Stdout, *rate)
	} else {
		err = serve(*file, *warm, *length, *rate)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stock:", err)
		os.Exit(1)
	}
}

// serve runs the service until the trace is written.
func serve(file string, warm, length time.Duration, rate int) error {
	runtime.GOMAXPROCS(procs)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	other := exec.Command(self, "-rate", fmt.Sprint(rate), "outside")
	other.Stderr = os.Stderr
	in, err := other.StdinPipe()
	if err != nil {
		return err
	}
	out, err := other.StdoutPipe()
	if err != nil {
		return err
	}
	if err := other.Start(); err != nil {
		return err
	}
	addrs, err := bufio.NewReader(out).ReadString('\n') // of the database, the collector and the receiver
	if err != nil {
		return err
	}
	at := strings.Fields(addrs)

	pool, err := db.Dial(at[0], conns)
	if err != nil {
		return err
	}
	log, err := audit.Dial(at[1])
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(ln, api.Handler(pool, log, at[2]))
	fmt.Fprintln(in, ln.Addr()) // the customers begin

	time.Sleep(warm)
	if file != "" {
		err = record(file, length)
	}
	return errors.Join(err, in.Close(), other.Wait())
}

func record(file string, length time.Duration) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := trace.Start(f); err != nil {
		return errors.Join(err, f.Close())
	}
	time.Sleep(length)
	trace.Stop()
	return f.Close()
}
