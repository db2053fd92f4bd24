// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"context"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

// order is made ready by another goroutine. With the fault, goroutines that wait for it poll every 5 ms.
type order struct {
	ready atomic.Bool
	done  chan bool
}

func (o *order) wait() {
	if sound {
		<-o.done
		return
	}
	for !o.ready.Load() {
		time.Sleep(5 * time.Millisecond)
	}
}

func pollingSleep() {
	far := startRemote()
	var c [4]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	each(len(c), func(i int) {
		for k := 0; k < 40; k++ {
			o := &order{done: make(chan bool)}
			go func() {
				compute(60 * time.Microsecond)
				o.ready.Store(true)
				close(o.done)
			}()
			o.wait()
			c[i].ask(300 * time.Microsecond)
		}
	})
}

func slowNetwork() {
	far := startRemote()
	var c [6]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	each(len(c), func(i int) {
		for k := 0; k < 50; k++ {
			request("fetch", func(ctx context.Context) {
				d := time.Millisecond
				if k%10 == i && !sound {
					d = 14 * time.Millisecond
				}
				trace.WithRegion(ctx, "ask", func() { c[i].ask(d) })
				compute(50 * time.Microsecond)
			})
		}
	})
}

// slowAndDelayed calls the remote process twice for each request. With the fault, the second call takes long for some
// requests. With and without it, a few other requests have delays of different lengths, so that the durations have no gap.
func slowAndDelayed() {
	far := startRemote()
	var c [6]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	each(len(c), func(i int) {
		for k := 0; k < 40; k++ {
			request("fetch", func(context.Context) {
				d := time.Millisecond
				if k == 11 {
					d = [6]time.Duration{2400, 5000, 9500, 1000, 1000, 1000}[i] * time.Microsecond
				} else if k%10 == i && !sound {
					d = 16 * time.Millisecond
				}
				c[i].ask(time.Millisecond)
				c[i].ask(d)
			})
		}
	})
}

// shard is one of six parts of a search. With the fault, the last one takes longer than all others.
func shard(c *client, i int) {
	d := time.Millisecond
	if i == 5 && !sound {
		d = 7 * time.Millisecond
	}
	compute(100 * time.Microsecond)
	c.ask(d)
}

func straggler() {
	far := startRemote()
	var c [6]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	for k := 0; k < 30; k++ {
		request("search", func(ctx context.Context) {
			var wg sync.WaitGroup
			for i := range c {
				wg.Add(1)
				go func() { defer wg.Done(); shard(c[i], i) }()
			}
			wg.Wait()
			compute(80 * time.Microsecond)
		})
	}
}

// relax computes the cells of one worker in a round. With the fault, worker 2 has eight times as many.
//
//go:noinline
func relax(i int) {
	d := 1500 * time.Microsecond
	if i == 2 && !sound {
		d *= 8
	}
	compute(d)
}

func imbalance() {
	runtime.GOMAXPROCS(2)
	begin()
	var start [4]chan bool
	for i := range start {
		start[i] = make(chan bool)
	}
	var wg sync.WaitGroup
	for i := range start {
		go func() {
			for range start[i] {
				relax(i)
				wg.Done()
			}
		}()
	}
	for k := 0; k < 14; k++ {
		wg.Add(len(start))
		for i := range start {
			start[i] <- true
		}
		wg.Wait()
	}
	for i := range start {
		close(start[i])
	}
}

// count computes one of eight parts, in a new goroutine in each round. With the fault, the fourth part is the largest.
//
//go:noinline
func count(i int) {
	d := 300 * time.Microsecond
	if i == 3 && !sound {
		d *= 50 // so long that it is preempted, which puts its stack into the trace
	}
	compute(d)
}

func unevenRounds() {
	begin()
	for k := 0; k < 12; k++ {
		each(8, count)
	}
}

// basket makes one call for all items. With the fault it makes a call for each item, and some baskets have many.
func basket(c *client, items int) {
	if sound {
		items = 1
	}
	for i := 0; i < items; i++ {
		c.ask(600 * time.Microsecond)
	}
	compute(60 * time.Microsecond)
}

func serialCalls() {
	far := startRemote()
	var c [4]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	each(len(c), func(i int) {
		for k := 0; k < 50; k++ {
			n := 2
			if k%7 == i {
				n = 16
			}
			request("basket", func(context.Context) { basket(c[i], n) })
		}
	})
}

// match compares texts. With the fault, some of them take 200 times as long.
//
//go:noinline
func match(evil bool) {
	d := 150 * time.Microsecond
	if evil && !sound {
		d *= 200
	}
	compute(d)
}

func ownCPU() {
	far := startRemote()
	var c [2]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	each(len(c), func(i int) {
		for k := 0; k < 90; k++ {
			request("match", func(context.Context) {
				c[i].ask(300 * time.Microsecond)
				match(k%15 == 3)
			})
		}
	})
}
