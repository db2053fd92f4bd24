// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"time"
)

// quoter is one goroutine that answers all requests. With the fault, each answer takes long.
type quoter struct{ ask chan chan int }

func price() int {
	d := 400 * time.Microsecond
	if sound {
		d = 5 * time.Microsecond
	}
	compute(d)
	return 1
}

func (q *quoter) serve() {
	for reply := range q.ask {
		reply <- price()
	}
}

func singleServer() {
	far := startRemote()
	q := &quoter{make(chan chan int)}
	var c [8]*client
	for i := range c {
		c[i] = far.dial()
	}
	begin()
	go q.serve()
	each(len(c), func(i int) {
		reply := make(chan int)
		for k := 0; k < 40; k++ {
			c[i].ask(500 * time.Microsecond)
			q.ask <- reply
			<-reply
		}
	})
}

// unpack makes the items for the workers of serialStage. With the fault it is slower than all workers together.
func unpack() int {
	d := 250 * time.Microsecond
	if sound {
		d = 10 * time.Microsecond
	}
	compute(d)
	return 1
}

func reader(out chan<- int) {
	for i := 0; i < 700; i++ {
		out <- unpack()
	}
	close(out)
}

func convert(int) {
	d := 40 * time.Microsecond
	if sound {
		d = 600 * time.Microsecond
	}
	compute(d)
}

func serialStage() {
	items := make(chan int)
	begin()
	go reader(items)
	each(6, func(int) {
		for v := range items {
			convert(v)
		}
	})
}

// pool lends connections to 10 goroutines. With the fault it has only 2.
type pool struct{ free chan *client }

func (p *pool) query() {
	c := <-p.free
	c.ask(1500 * time.Microsecond)
	p.free <- c
}

func report(p *pool) {
	for k := 0; k < 25; k++ {
		p.query()
		compute(100 * time.Microsecond)
	}
}

func poolExhausted() {
	far := startRemote()
	n := 2
	if sound {
		n = 12
	}
	p := &pool{make(chan *client, n)}
	for i := 0; i < n; i++ {
		p.free <- far.dial()
	}
	begin()
	each(10, func(int) { report(p) })
}

// lookup does not wait for late answers. With the fault, the goroutine that answers late blocks for ever.
func lookup(c *client) int {
	n := 0
	if sound {
		n = 1
	}
	answer := make(chan int, n)
	go func() {
		time.Sleep(3 * time.Millisecond)
		answer <- 1
	}()
	c.ask(1500 * time.Microsecond)
	select {
	case v := <-answer:
		return v
	default:
		return 0
	}
}

func leak() {
	far := startRemote()
	c := far.dial()
	begin()
	for i := 0; i < 100; i++ {
		lookup(c)
	}
	time.Sleep(10 * time.Millisecond)
}

// gate lets one goroutine through at a time. With the fault, the others try again in a loop instead of waiting.
type gate struct{ c chan bool }

func (g *gate) pass() {
	if sound {
		g.c <- true
		return
	}
	for {
		select {
		case g.c <- true:
			return
		default:
			compute(10 * time.Microsecond)
			yield()
		}
	}
}

// collect takes results as they come. With the fault it tries the channel in a loop instead of waiting.
func collect(results <-chan int, n int) (sum int) {
	for n > 0 {
		if sound {
			sum += <-results
			n--
			continue
		}
		select {
		case v := <-results:
			sum += v
			n--
		default:
		}
	}
	return sum
}

func emptySelect() {
	far := startRemote()
	c := far.dial()
	results := make(chan int)
	begin()
	go func() {
		for i := 0; i < 60; i++ {
			c.ask(5 * time.Millisecond)
			results <- i
		}
	}()
	collect(results, 60)
}

func spin() {
	far := startRemote()
	var c [3]*client
	for i := range c {
		c[i] = far.dial()
	}
	g := &gate{make(chan bool, 1)}
	begin()
	each(len(c), func(i int) {
		for k := 0; k < 6; k++ {
			g.pass()
			c[i].ask(2 * time.Millisecond)
			<-g.c
		}
	})
}
