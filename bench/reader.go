// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Reader reads a trace with the reader of the Go distribution, which puts events in
// order and keeps nothing: what make bench holds our reading against. That package is
// for the distribution alone, so bench/files.sh builds this as if it were a command of it
// (go build -overlay), from the sources of the Go that is installed.
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
