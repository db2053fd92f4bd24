// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Reader reads a trace with the reader of the Go distribution, which orders the events
// and keeps nothing. make bench compares ttrace with it. Only the distribution itself may
// import that package, so bench/files.sh builds this program as one of its commands
// (go build -overlay), from the sources of the installed Go.
package main

import (
	"bufio"
	"fmt"
	"internal/trace"
	"io"
	"os"
	"time"
)

func read(name string) (events int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, err := trace.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return 0, err
	}
	for {
		if _, err = r.ReadEvent(); err == io.EOF {
			return events, nil
		} else if err != nil {
			return events, err
		}
		events++
	}
}

func main() {
	begin := time.Now()
	n, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%.3f %d\n", time.Since(begin).Seconds(), n)
}
