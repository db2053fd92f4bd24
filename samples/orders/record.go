// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"errors"
	"flag"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"time"
)

// recording has the files to write, and the times of the trace, as the flags set them.
type recording struct {
	trace, cpu, heapBase, heap, goroutine, block, mutex string

	warm, duration       time.Duration
	traceAfter, traceFor time.Duration
}

func (r *recording) flags() {
	flag.StringVar(&r.trace, "trace", "", "write an execution trace to `FILE`")
	flag.StringVar(&r.cpu, "cpu", "", "write a CPU profile to `FILE`; its samples are in the trace too")
	flag.StringVar(&r.heapBase, "heap-base", "", "write a heap profile to `FILE` after the warm-up")
	flag.StringVar(&r.heap, "heap", "", "write a heap profile to `FILE` at the end")
	flag.StringVar(&r.goroutine, "goroutine", "", "write a goroutine profile to `FILE` at the end")
	flag.StringVar(&r.block, "block", "", "write a block profile to `FILE` at the end")
	flag.StringVar(&r.mutex, "mutex", "", "write a mutex profile to `FILE` at the end")
	flag.DurationVar(&r.warm, "warm", time.Second, "run this long before anything is recorded")
	flag.DurationVar(&r.duration, "duration", 10*time.Second, "record this long")
	flag.DurationVar(&r.traceAfter, "trace-after", 0, "start the trace this long after the warm-up")
	flag.DurationVar(&r.traceFor, "trace-for", 2*time.Second, "trace this long")
}

// run records while the customers send requests. It takes warm + duration.
func (r *recording) run() error {
	time.Sleep(r.warm)
	end := time.Now().Add(r.duration)

	if r.block != "" {
		runtime.SetBlockProfileRate(int(10 * time.Microsecond))
	}
	if r.mutex != "" {
		runtime.SetMutexProfileFraction(1)
	}
	if err := writeHeap(r.heapBase); err != nil {
		return err
	}
	if r.cpu != "" {
		f, err := os.Create(r.cpu)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if err := r.runTrace(); err != nil {
		return err
	}
	time.Sleep(time.Until(end))

	return errors.Join(
		write("goroutine", r.goroutine), // while requests are in progress
		write("block", r.block),
		write("mutex", r.mutex),
		writeHeap(r.heap),
	)
}

func (r *recording) runTrace() error {
	if r.trace == "" {
		return nil
	}
	time.Sleep(r.traceAfter)
	f, err := os.Create(r.trace)
	if err != nil {
		return err
	}
	if err := trace.Start(f); err != nil {
		return errors.Join(err, f.Close())
	}
	time.Sleep(r.traceFor)
	trace.Stop()
	return f.Close()
}

// writeHeap runs a GC cycle first, because the profile has the objects that the last cycle found alive.
func writeHeap(path string) error {
	if path == "" {
		return nil
	}
	runtime.GC()
	return write("heap", path)
}

func write(profile, path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup(profile).WriteTo(f, 0), f.Close())
}
