// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package load simulates customers: requests at a constant rate, however long answers take.
package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"orders/internal/cart"
	"orders/internal/search"
)

// Plan describes the requests.
type Plan struct {
	Base    string // of the URLs
	Rate    int    // requests a second
	Workers int    // maximum of requests in progress
	Mix     [3]int // shares of checkout, search and login
	Stock   int    // number of products
}

// Result is the latency of a request.
type Result struct {
	Endpoint string
	Took     time.Duration
	Err      error
}

// Run sends requests until ctx is done and returns their latencies.
//
// One goroutine queues jobs by a ticker, and the workers take them: the trace has a select on
// the ticker, and waits for the channel on both sides of the queue.
func (p *Plan) Run(ctx context.Context) []Result {
	jobs := make(chan string, p.Workers)
	results := make(chan Result)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: p.Workers}}
	defer client.CloseIdleConnections()

	var wg sync.WaitGroup
	for i := range p.Workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p.worker(client, uint64(i), jobs, results)
		}()
	}
	go p.pace(ctx, jobs)
	go func() {
		wg.Wait()
		close(results)
	}()

	var all []Result
	for r := range results {
		all = append(all, r)
	}
	return all
}

// pace queues a job on each tick.
func (p *Plan) pace(ctx context.Context, jobs chan<- string) {
	defer close(jobs)
	tick := time.NewTicker(time.Second / time.Duration(p.Rate))
	defer tick.Stop()
	r := rand.New(rand.NewPCG(3, 4))
	for {
		select {
		case <-tick.C:
			jobs <- p.pick(r)
		case <-ctx.Done():
			return
		}
	}
}

func (p *Plan) pick(r *rand.Rand) string {
	n := r.IntN(p.Mix[0] + p.Mix[1] + p.Mix[2])
	switch {
	case n < p.Mix[0]:
		return "/checkout"
	case n < p.Mix[0]+p.Mix[1]:
		return "/search"
	}
	return "/login"
}

func (p *Plan) worker(client *http.Client, seed uint64, jobs <-chan string, results chan<- Result) {
	r := rand.New(rand.NewPCG(seed, 5))
	popular := rand.NewZipf(r, 1.2, 8, uint64(p.Stock-1)) // few products sell most
	for job := range jobs {
		start := time.Now()
		err := p.send(client, r, popular, job)
		results <- Result{job, time.Since(start), err}
	}
}

var questions = []string{
	`(?i)(red|blue)\s+.*chair`, `oak|walnut`, `lamp of (brass|glass)`, `(?i)teapot.*model \d+7\b`,
	`made to last 1[0-6] years$`,
}

func (p *Plan) send(client *http.Client, r *rand.Rand, popular *rand.Zipf, job string) error {
	var req *http.Request
	var err error
	switch job {
	case "/checkout":
		var in struct {
			Lines    []cart.Line
			Currency string
		}
		for range 1 + r.IntN(4) {
			sku := search.SKU(int(popular.Uint64()))
			in.Lines = append(in.Lines, cart.Line{SKU: sku, Qty: 1 + r.IntN(3)})
		}
		in.Currency = []string{"EUR", "USD", "SEK"}[r.IntN(3)]
		body, _ := json.Marshal(in)
		req, err = http.NewRequest("POST", p.Base+job, bytes.NewReader(body))
	case "/search":
		q := url.QueryEscape(questions[r.IntN(len(questions))])
		req, err = http.NewRequest("GET", p.Base+job+"?q="+q, nil)
	case "/login":
		user := fmt.Sprintf("user%d", r.IntN(40))
		req, err = http.NewRequest("POST", p.Base+job+"?user="+user, nil)
	}
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", job, resp.Status)
	}
	return nil
}

// Summary prints a line for each endpoint: the number of requests and their latencies.
func Summary(w io.Writer, all []Result) {
	by := make(map[string][]time.Duration)
	failed := 0
	for _, r := range all {
		if r.Err != nil {
			failed++
			continue
		}
		by[r.Endpoint] = append(by[r.Endpoint], r.Took)
	}
	for _, name := range []string{"/checkout", "/search", "/login"} {
		d := by[name]
		if len(d) == 0 {
			continue
		}
		slices.Sort(d)
		at := func(q float64) time.Duration {
			return d[int(q*float64(len(d)-1))].Round(10 * time.Microsecond)
		}
		fmt.Fprintf(w, "%-9s %5d requests  p50 %8v  p90 %8v  p99 %8v  max %8v\n",
			name, len(d), at(0.5), at(0.9), at(0.99), at(1))
	}
	if failed > 0 {
		fmt.Fprintf(w, "%d requests failed\n", failed)
	}
}
