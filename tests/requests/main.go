// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Records traces of servers whose requests are known, for tests/requests.sh: the program is server and client, and counts.
// It fetches each trace from itself, as one does from a service, so that this request is in the trace, too.
//
//	requests FOLDER: write NAME.trace of each scenario, and truth.tsv
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"net/rpc"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What is known of the requests of a trace: how many of a kind began and ended in it, and how long its client waited.
type truth struct {
	mu    sync.Mutex
	began int
	took  []time.Duration
}

func (t *truth) measure(request func()) {
	start := time.Now()
	request()
	t.mu.Lock()
	t.took = append(t.took, time.Since(start))
	t.began++
	t.mu.Unlock()
}

type server struct {
	mu    sync.Mutex
	stock map[string]int
	// Requests wait for these: some that begin before the trace, and some that do not end in it.
	early, late chan struct{}
	backend     string // the address of another server
	client      *http.Client
	calls       atomic.Int64
}

func newServer() *server {
	return &server{stock: map[string]int{}, early: make(chan struct{}), late: make(chan struct{})}
}

// Most requests never block, so that the trace has no stack in this handler.
func (s *server) item(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, "item", r.URL.Path)
}

func (s *server) order(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	time.Sleep(2 * time.Millisecond)
	s.stock[r.URL.Path]--
	s.mu.Unlock()
	fmt.Fprintln(w, "ordered")
}

func (s *server) pause(w http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Millisecond)
	fmt.Fprintln(w, "paused")
}

// All requests of this endpoint take long.
func (s *server) report(w http.ResponseWriter, r *http.Request) {
	time.Sleep(40 * time.Millisecond)
	fmt.Fprintln(w, "report")
}

func (s *server) upload(w http.ResponseWriter, r *http.Request) {
	n, _ := io.Copy(io.Discard, r.Body)
	fmt.Fprintln(w, n, "bytes")
}

// The body is read by another goroutine, as that of a proxy is.
func (s *server) forward(w http.ResponseWriter, r *http.Request) {
	done := make(chan int64)
	go func() {
		n, _ := io.Copy(io.Discard, r.Body)
		done <- n
	}()
	fmt.Fprintln(w, <-done, "bytes")
}

func (s *server) wait(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/wait/early" {
		<-s.early
	} else {
		<-s.late
	}
}

// Calls another server, through the goroutines that the client of net/http has for a connection.
func (s *server) lookup(w http.ResponseWriter, r *http.Request) {
	n := 2
	if r.URL.Path == "/lookup/all" {
		n = 16
	}
	for i := range n {
		s.ask(i)
	}
	fmt.Fprintln(w, "found")
}

func (s *server) ask(i int) {
	s.calls.Add(1)
	get(s.client, fmt.Sprintf("%s/pause?%d", s.backend, i), nil, false)
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/item/", s.item)
	mux.HandleFunc("/order/", s.order)
	mux.HandleFunc("/pause", s.pause)
	mux.HandleFunc("/lookup/", s.lookup)
	mux.HandleFunc("/report", s.report)
	mux.HandleFunc("/upload", s.upload)
	mux.HandleFunc("/forward", s.forward)
	mux.HandleFunc("/wait/", s.wait)
	mux.Handle("/debug/pprof/", http.DefaultServeMux)
	return mux
}

func get(c *http.Client, url string, body io.Reader, closes bool) {
	method := "GET"
	if body != nil {
		method = "POST"
	}
	r, err := http.NewRequest(method, url, body)
	if err != nil {
		log.Fatal(err)
	}
	r.Close = closes
	answer, err := c.Do(r)
	if err != nil {
		return // the server was closed
	}
	io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
}

// A closed loop: each of n clients sends its next request as soon as it has the answer.
func loop(t *truth, n, each int, request func(client, i int)) {
	var all sync.WaitGroup
	for c := range n {
		all.Go(func() {
			for i := range each {
				t.measure(func() { request(c, i) })
			}
		})
	}
	all.Wait()
}

// Requests that are sent together, before the first answer.
func pipeline(t *truth, address string, n int) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, strings.Repeat("GET /item/p HTTP/1.1\r\nHost: x\r\n\r\n", n))
	in := bufio.NewReader(c)
	for range n {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			log.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		t.began++
	}
}

// Fetch a trace into a file, while work runs. The work starts when the trace has begun, and ends before it.
func record(file, url string, work func()) {
	done := make(chan bool)
	go func() {
		answer, err := http.Get(url + "/debug/pprof/trace?seconds=1")
		if err != nil {
			log.Fatal(err)
		}
		to, err := os.Create(file)
		if err != nil {
			log.Fatal(err)
		}
		io.Copy(to, answer.Body)
		to.Close()
		close(done)
	}()
	time.Sleep(100 * time.Millisecond)
	work()
	<-done
}

func open(c *http.Client, url string, n int) {
	for range n {
		go get(c, url, nil, false)
	}
	time.Sleep(50 * time.Millisecond)
}

type row struct {
	name, kind   string
	before, open int
	t            truth
}

func (r *row) String() string {
	sort.Slice(r.t.took, func(i, k int) bool { return r.t.took[i] < r.t.took[k] })
	p50, most := r.t.took[len(r.t.took)/2], r.t.took[len(r.t.took)-1]
	return fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%d\t%d", r.name, r.kind, r.t.began+r.open, r.before, r.open,
		p50.Nanoseconds(), most.Nanoseconds())
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	return l
}

// serve starts a server and returns its URL.
func serve(h http.Handler) string {
	l := listen()
	go http.Serve(l, h)
	return "http://" + l.Addr().String()
}

// http1: connections that are kept, closed, pipelined and with bodies; requests that are longer than the trace.
func http1(folder string) *row {
	s := newServer()
	url := serve(s.handler())
	r := &row{name: "http1", kind: "net/http", before: 4, open: 3}
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	open(c, url+"/wait/early", r.before)
	record(filepath.Join(folder, "http1.trace"), url, func() {
		close(s.early)
		loop(&r.t, 8, 30, func(client, i int) { get(c, fmt.Sprintf("%s/item/%d", url, i), nil, false) })
		loop(&r.t, 2, 10, func(client, i int) { get(c, url+"/order/1", nil, false) })
		loop(&r.t, 2, 5, func(client, i int) { get(c, url+"/item/1", nil, true) })
		body := strings.Repeat("x", 100_000)
		loop(&r.t, 2, 5, func(client, i int) { get(c, url+"/upload", strings.NewReader(body), false) })
		loop(&r.t, 2, 5, func(client, i int) { get(c, url+"/forward", strings.NewReader(body), false) })
		pipeline(&r.t, strings.TrimPrefix(url, "http://"), 10)
		open(c, url+"/wait/late", r.open)
	})
	close(s.late) // the later traces have none of these requests
	time.Sleep(50 * time.Millisecond)
	return r
}

// http2: streams of one connection.
func http2(folder string) *row {
	s := newServer()
	l := listen()
	var p http.Protocols
	p.SetHTTP1(true)
	p.SetUnencryptedHTTP2(true)
	go (&http.Server{Handler: s.handler(), Protocols: &p}).Serve(l)
	url := "http://" + l.Addr().String()
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	c := &http.Client{Transport: &http.Transport{Protocols: &only}}
	r := &row{name: "http2", kind: "http2"}
	record(filepath.Join(folder, "http2.trace"), url, func() {
		loop(&r.t, 6, 10, func(client, i int) { get(c, fmt.Sprintf("%s/item/%d", url, i), nil, false) })
		loop(&r.t, 2, 5, func(client, i int) { get(c, url+"/order/1", nil, false) })
	})
	return r
}

// endpoints: one takes longer than the others.
func endpoints(folder string) *row {
	s := newServer()
	url := serve(s.handler())
	r := &row{name: "endpoints", kind: "net/http"}
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	record(filepath.Join(folder, "endpoints.trace"), url, func() {
		loop(&r.t, 4, 50, func(client, i int) {
			path := fmt.Sprintf("/item/%d", i)
			if i%10 == 5 {
				path = "/report"
			} else if i%5 == 0 {
				path = "/pause"
			}
			get(c, url+path, nil, false)
		})
	})
	return r
}

// lookups: some requests make many calls, one after another.
func lookups(folder string) *row {
	back := newServer()
	s := newServer()
	s.backend = serve(back.handler())
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	url := serve(s.handler())
	r := &row{name: "lookups", kind: "net/http"}
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	record(filepath.Join(folder, "lookups.trace"), url, func() {
		loop(&r.t, 4, 20, func(client, i int) {
			path := "/lookup/one"
			if i%10 == 5 {
				path = "/lookup/all"
			}
			get(c, url+path, nil, false)
		})
	})
	r.t.began += int(s.calls.Load()) // the other server is in this process, too
	return r
}

type Adder struct{}

func (Adder) Add(v [2]int, sum *int) error {
	*sum = v[0] + v[1]
	return nil
}

// rpc: calls of net/rpc, of which each has a goroutine.
func calls(folder string) *row {
	l := listen()
	rpc.Register(Adder{})
	go rpc.Accept(l)
	url := serve(nil)
	c, err := rpc.Dial("tcp", l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	r := &row{name: "rpc", kind: "net/rpc"}
	record(filepath.Join(folder, "rpc.trace"), url, func() {
		loop(&r.t, 4, 30, func(client, i int) {
			var sum int
			if err := c.Call("Adder.Add", [2]int{client, i}, &sum); err != nil {
				log.Fatal(err)
			}
		})
	})
	return r
}

func main() {
	folder := os.Args[1]
	out, err := os.Create(filepath.Join(folder, "truth.tsv"))
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()
	for _, scenario := range []func(string) *row{http1, endpoints, lookups, http2, calls} {
		fmt.Fprintln(out, scenario(folder))
	}
}
