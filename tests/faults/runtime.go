// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"crypto/sha512"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func yield() { runtime.Gosched() }

// render allocates, while GC cycles follow each other. Without the fault it allocates nothing.
func render() int {
	n := 0
	for i := 0; i < 200; i++ {
		if sound {
			n += i
			continue
		}
		n += len(make([]byte, 4096+i)) + len(new([16]*int))
	}
	return n
}

var live [][]*int

func gcPressure() {
	for i := 0; i < 100; i++ {
		l := make([]*int, 4000)
		for k := range l {
			l[k] = new(int)
		}
		live = append(live, l)
	}
	runtime.GC()
	rounds := 200
	if !sound {
		debug.SetGCPercent(2)
		rounds = 24
	}
	begin()
	each(4, func(int) {
		for k := 0; k < rounds/4; k++ {
			render()
		}
	})
	debug.SetGCPercent(100)
}

// pack allocates little. With the fault it runs a GC cycle each time.
func pack(c *client) {
	c.ask(500 * time.Microsecond)
	for i := 0; i < 10; i++ {
		pages = append(pages[:0], make([]byte, 512))
	}
	if !sound {
		runtime.GC()
	}
}

var pages [][]byte

func forcedGC() {
	far := startRemote()
	c := far.dial()
	// One large object with pointers takes long to mark, but is one span to sweep: each swept span is an event.
	one, all := new(int), make([]*int, 1<<20)
	for i := range all {
		all[i] = one
	}
	live = append(live, all)
	runtime.GC()
	batches := 6
	if sound {
		batches = 100
	}
	begin()
	for i := 0; i < batches; i++ {
		pack(c)
	}
}

// history keeps pages. With the fault it never removes one.
type history struct {
	mu    sync.Mutex
	pages [][]byte
}

func page() []byte { return make([]byte, 64<<10) }

func (h *history) keep(p []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages = append(h.pages, p)
	if sound && len(h.pages) > 40 {
		h.pages = h.pages[1:]
	}
}

func heapGrows() {
	far := startRemote()
	var c [2]*client
	for i := range c {
		c[i] = far.dial()
	}
	h := &history{}
	debug.SetGCPercent(60)
	begin()
	each(len(c), func(i int) {
		for k := 0; k < 260; k++ {
			c[i].ask(400 * time.Microsecond)
			h.keep(page())
		}
	})
}

// dump writes the stacks of all goroutines, which stops the world. Without the fault it is not called.
func dump(b []byte) int { return runtime.Stack(b, true) }

func stopTheWorld() {
	far := startRemote()
	c := far.dial()
	stop := make(chan bool)
	for i := 0; i < 300; i++ {
		go func() { <-stop }()
	}
	b := make([]byte, 1<<20)
	begin()
	for i := 0; i < 40; i++ {
		c.ask(2 * time.Millisecond)
		if !sound {
			dump(b)
		}
	}
	close(stop)
}

// encode uses the Ps that other goroutines need. Without the fault one goroutine calls it, and it sleeps in between.
func encode(stop <-chan bool) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		compute(3 * time.Millisecond)
		if sound {
			time.Sleep(6 * time.Millisecond)
		}
	}
}

func noP() {
	far := startRemote()
	var c [3]*client
	for i := range c {
		c[i] = far.dial()
	}
	hogs := 8
	if sound {
		hogs = 1
	}
	stop := make(chan bool)
	begin()
	for i := 0; i < hogs; i++ {
		go encode(stop)
	}
	each(len(c), func(i int) {
		n := 8
		if sound {
			n = 100
		}
		for k := 0; k < n; k++ {
			c[i].ask(time.Millisecond)
			compute(100 * time.Microsecond)
		}
	})
	close(stop)
}

// checksum hashes in one call, which cannot be preempted. Without the fault it hashes small pieces.
func checksum(b []byte) (sum [64]byte) {
	if !sound {
		return sha512.Sum512(b)
	}
	for len(b) > 0 {
		n := min(len(b), 64<<10)
		sum = sha512.Sum512(b[:n])
		b = b[n:]
		runtime.Gosched()
	}
	return sum
}

func longRun() {
	runtime.GOMAXPROCS(1)
	far := startRemote()
	c := far.dial()
	b := make([]byte, 48<<20)
	for i := range b {
		b[i] = byte(i)
	}
	begin()
	done := make(chan bool)
	go func() {
		time.Sleep(15 * time.Millisecond)
		checksum(b)
		close(done)
	}()
	for i := 0; i < 100; i++ {
		c.ask(time.Millisecond)
	}
	<-done
}

// throttle reduces the number of Ps. Without the fault it sets the same number as before.
func throttle() {
	n := 1
	if sound {
		n = 4
	}
	runtime.GOMAXPROCS(n)
}

func lowerProcs() {
	far := startRemote()
	var c [16]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	go func() {
		time.Sleep(80 * time.Millisecond)
		throttle()
	}()
	each(len(c), func(i int) {
		end := time.Now().Add(300 * time.Millisecond)
		for time.Now().Before(end) {
			c[i].ask(3 * time.Millisecond)
			compute(300 * time.Microsecond)
		}
	})
}

// sum starts a goroutine for each number. Without the fault it starts one for each thousand.
func sum(v []int) (total int) {
	step := 1
	if sound {
		step = 1000
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < len(v); i += step {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n := 0
			for _, x := range v[i:min(i+step, len(v))] {
				n += x
			}
			mu.Lock()
			total += n
			mu.Unlock()
		}()
	}
	wg.Wait()
	return total
}

func fineGoroutines() {
	v := make([]int, 4000)
	begin()
	for i := 0; i < 2; i++ {
		sum(v)
		compute(200 * time.Microsecond)
	}
}

// device is read by a system call that blocks its thread. Without the fault it is read through the poller.
type device struct {
	fd int
	f  *os.File
}

func (d *device) read() {
	var b [1]byte
	if sound {
		d.f.Read(b[:])
	} else {
		syscall.Read(d.fd, b[:])
	}
}

// watch reads from a device for which no goroutine waits: it is parked in its calls, and so is the goroutine of os/signal.
func watch(d *device, seen *atomic.Int64) {
	var b [1]byte
	for {
		if n, _ := syscall.Read(d.fd, b[:]); n < 1 {
			return
		}
		seen.Add(1)
	}
}

func blockingCalls() {
	var seen atomic.Int64
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() { <-signals; os.Exit(1) }()
	var dev [7]*device
	for i := range dev {
		r, w, err := os.Pipe()
		if err != nil {
			return
		}
		other := exec.Command("sh", "-c", "while sleep 0.003; do printf x || exit; done")
		other.Stdout = w
		if other.Start() != nil {
			return
		}
		w.Close()
		defer other.Process.Kill()
		dev[i] = &device{f: r}
		if !sound || i == 6 {
			dev[i].fd = int(r.Fd()) // makes reads of the pipe blocking
		}
	}
	begin()
	go watch(dev[6], &seen)
	each(6, func(i int) {
		for k := 0; k < 30; k++ {
			dev[i].read()
			compute(50 * time.Microsecond)
		}
	})
}

// frozen stops the whole process for 40 ms, as a CPU limit of a container or a suspended machine does.
func frozen() {
	far := startRemote()
	c := far.dial()
	begin()
	done := make(chan bool)
	for i := 0; i < 3; i++ {
		go func() {
			for {
				select {
				case <-done:
					return
				default:
					compute(300 * time.Microsecond)
					runtime.Gosched()
				}
			}
		}()
	}
	for i := 0; i < 3; i++ {
		c.ask(5 * time.Millisecond)
		if !sound {
			pid := strconv.Itoa(os.Getpid())
			exec.Command("sh", "-c", "kill -STOP "+pid+"; sleep 0.04; kill -CONT "+pid).Run()
		}
	}
	close(done)
}

// weave computes on both Ps. With the fault all threads of the process share one CPU with three other processes.
//
//go:noinline
func weave() { compute(500 * time.Millisecond) }

func stolenCPU() {
	if !sound {
		for i := 0; i < 3; i++ {
			busy := exec.Command("taskset", "-c", "0", "sh", "-c", "while :; do :; done")
			if busy.Start() == nil {
				defer func() { busy.Process.Kill(); busy.Wait() }()
			}
		}
		exec.Command("taskset", "-apc", "0", strconv.Itoa(os.Getpid())).Run()
	}
	pprof.StartCPUProfile(io.Discard)
	defer pprof.StopCPUProfile()
	begin()
	each(2, func(int) { weave() })
}
