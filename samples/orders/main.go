// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Orders is a web shop in one process: an HTTP server, its database, and its customers, which
// are connected over loopback. It is an example for traces and profiles, and has five faults.
// The files that show each of them are in parentheses:
//
//   - internal/cache has its mutex locked while it queries the database (trace, mutex, block);
//   - internal/report allocates so fast that requests have to assist the GC (trace, heap);
//   - internal/search compiles its regular expression anew for each product (CPU, heap);
//   - internal/login never removes a session (the two leak profiles);
//   - internal/cart leaks a goroutine when a carrier is late (goroutine).
//
// ../README.md describes how the faults show. ../record.sh records the files beside it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/trace"
	"time"

	"orders/internal/api"
	"orders/internal/cache"
	"orders/internal/cart"
	"orders/internal/db"
	"orders/internal/journal"
	"orders/internal/load"
	"orders/internal/login"
	"orders/internal/report"
	"orders/internal/search"
)

const (
	procs    = 4
	conns    = 6   // to the database
	products = 300 // in the catalogue
	cached   = 240 // answers in the cache
)

func main() {
	runtime.GOMAXPROCS(procs)
	runtime.MemProfileRate = 64 << 10 // the heap is small: sample it closely
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "orders:", err)
		os.Exit(1)
	}
}

func run() error {
	var rec recording
	var plan load.Plan
	rec.flags()
	flag.IntVar(&plan.Rate, "rate", 150, "requests a second")
	mix := flag.String("mix", "5,3,2", "shares of checkout, search and login")
	every := flag.Duration("report-every", 4*time.Second, "time between two reports")
	sales := flag.Int("sales", 400000, "sales in a report; 0: no reports")
	flag.Parse()
	if _, err := fmt.Sscanf(*mix, "%d,%d,%d", &plan.Mix[0], &plan.Mix[1], &plan.Mix[2]); err != nil {
		return fmt.Errorf("-mix %s: %w", *mix, err)
	}

	server, err := db.Serve()
	if err != nil {
		return err
	}
	defer server.Close()
	pool, err := db.Dial(server.Addr(), conns)
	if err != nil {
		return err
	}
	defer pool.Close()
	paper, err := journal.Open()
	if err != nil {
		return err
	}
	shop, err := open(pool, paper)
	if err != nil {
		return errors.Join(err, paper.Close())
	}

	ctx, stop := context.WithCancel(context.Background())
	plan.Base, plan.Workers, plan.Stock = "http://"+shop.addr, 12, products
	done := make(chan []load.Result)
	go func() { done <- plan.Run(ctx) }()
	go metrics(ctx)
	if *sales > 0 {
		go reports(ctx, *every, *sales)
	}

	err = rec.run()
	stop()
	load.Summary(os.Stdout, <-done)
	fmt.Printf("%d sessions, %d goroutines\n", shop.sessions.Count(), runtime.NumGoroutine())
	return errors.Join(err, shop.server.Close(), paper.Close())
}

type shop struct {
	addr     string
	server   *http.Server
	sessions *login.Store
}

// open starts the shop on a free port.
func open(pool *db.Pool, paper *journal.Journal) (*shop, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	answers := cache.New(pool, cached)
	face := &api.API{
		Desk:      &cart.Desk{Cache: answers, DB: pool, Journal: paper},
		Catalogue: search.New(answers, products),
		Sessions:  &login.Store{Cache: answers},
	}
	s := &shop{ln.Addr().String(), &http.Server{Handler: face.Handler()}, face.Sessions}
	go s.server.Serve(ln)
	return s, nil
}

// metrics reads the memory statistics twice a second, as many metrics libraries do. Each read
// stops the world: the trace has these stops, with this function on the stack.
func metrics(ctx context.Context) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	var m runtime.MemStats
	for {
		select {
		case <-tick.C:
			runtime.ReadMemStats(&m)
			trace.Logf(ctx, "heap", "%d KiB, %d cycles", m.HeapAlloc>>10, m.NumGC)
		case <-ctx.Done():
			return
		}
	}
}

// reports builds the sales report from time to time.
func reports(ctx context.Context, every time.Duration, sales int) {
	for {
		select {
		case <-time.After(every):
			if err := report.Build(ctx, sales); err != nil {
				fmt.Fprintln(os.Stderr, "orders:", err)
			}
		case <-ctx.Done():
			return
		}
	}
}
