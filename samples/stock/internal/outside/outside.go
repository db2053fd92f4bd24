// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package outside has the programs that the service is connected to: the database, the collector
// of audit lines, the receiver of exports, and the customers.
package outside

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// Run prints three addresses, reads that of the service, and sends requests to it until in ends.
func Run(in io.Reader, out io.Writer, rate int) error {
	database, err := serve(func(line string) time.Duration {
		if strings.HasPrefix(line, "page") {
			return 4 * time.Millisecond
		}
		return 700 * time.Microsecond
	})
	if err != nil {
		return err
	}
	collector, err := serve(func(string) time.Duration { return 6 * time.Millisecond })
	if err != nil {
		return err
	}
	receiver, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(receiver, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		time.Sleep(18 * time.Millisecond)
	}))
	fmt.Fprintln(out, database, collector, receiver.Addr())

	lines := bufio.NewScanner(in)
	if !lines.Scan() {
		return lines.Err()
	}
	go customers("http://"+lines.Text(), rate)
	for lines.Scan() {
	}
	return lines.Err()
}

// serve answers each line of each connection after takes(line).
func serve(takes func(line string) time.Duration) (net.Addr, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				lines := bufio.NewScanner(c)
				for lines.Scan() {
					time.Sleep(takes(lines.Text()))
					fmt.Fprintln(c, lines.Text(), "ok")
				}
			}()
		}
	}()
	return ln.Addr(), nil
}

// customers sends requests at a constant rate, however long answers take.
func customers(base string, rate int) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	r := rand.New(rand.NewPCG(1, 2))
	tick := time.NewTicker(time.Second / time.Duration(rate))
	for n := 0; ; n++ {
		<-tick.C
		path := fmt.Sprintf("/item?of=%d", r.IntN(5000))
		switch {
		case n%(rate*2/5) < 5: // five warehouses at once, every 0.4 s
			path = fmt.Sprintf("/export?of=w%d", n)
		case n%6 == 3:
			path = "/order?of=" + fmt.Sprint(r.IntN(5000))
		case n%12 == 7:
			ids := make([]string, 10+r.IntN(5))
			for i := range ids {
				ids[i] = fmt.Sprint(r.IntN(5000))
			}
			path = "/basket?of=" + strings.Join(ids, ",")
		}
		go get(client, base+path)
	}
}

func get(client *http.Client, url string) {
	resp, err := client.Get(url)
	if err != nil {
		return
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}
