// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// allocations records a trace of functions that allocate known amounts, and prints these: function, tab, bytes. Usage:
//
//	allocations FILE
//
// To record known.trace.gz and known.tsv anew: go run . known.trace >known.tsv && gzip -9n known.trace
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"runtime/trace"
	"sync"
)

var kept [4][]byte

//go:noinline
func large(i int) { kept[i] = make([]byte, 13*8192) }

//go:noinline
func middle(i int) { kept[i] = make([]byte, 20480) }

//go:noinline
func small(i int) { kept[i] = make([]byte, 1024) }

func allLarge() {
	for i := 0; i < 80; i++ {
		large(0)
	}
}

func allSmall() {
	for i := 0; i < 4000; i++ {
		small(1)
	}
}

// both has no event of its own between its two functions: they are told apart by the sizes that they allocate.
func both() {
	for i := 0; i < 300; i++ {
		middle(2)
		small(3)
	}
}

func main() {
	debug.SetGCPercent(50)
	f, err := os.Create(os.Args[1])
	if err == nil {
		err = trace.Start(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "allocations:", err)
		os.Exit(1)
	}
	var wg sync.WaitGroup
	for _, run := range []func(){allLarge, allSmall, both} {
		wg.Go(run)
	}
	wg.Wait()
	trace.Stop()
	fmt.Printf("main.allLarge\t%d\nmain.allSmall\t%d\nmain.both\t%d\n", 80*13*8192, 4000*1024, 300*(20480+1024))
	fmt.Printf("main.large\t%d\nmain.middle\t%d\n", 80*13*8192, 300*20480)
}
