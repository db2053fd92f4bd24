// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package api has the HTTP handlers of the service, for four kinds of requests.
package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"stock/internal/audit"
	"stock/internal/db"
)

type service struct {
	pool     *db.Pool
	log      *audit.Log
	receiver string // the URL to which exports are sent
}

// Handler returns the routes.
func Handler(pool *db.Pool, log *audit.Log, receiver string) http.Handler {
	s := &service{pool, log, "http://" + receiver + "/"}
	mux := http.NewServeMux()
	mux.HandleFunc("/item", answer(s.item))
	mux.HandleFunc("/basket", answer(s.basket))
	mux.HandleFunc("/order", answer(s.order))
	mux.HandleFunc("/export", answer(s.export))
	return mux
}

// answer makes a handler of a function that returns the text of the answer.
func answer(f func(context.Context, string) (string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := f(r.Context(), r.URL.Query().Get("of"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		io.WriteString(w, text)
	}
}

// item serves most requests. It has no fault.
func (s *service) item(ctx context.Context, id string) (string, error) {
	return s.pool.Query(ctx, "item", id)
}

// basket returns the stock of several items.
//
// The fault: it queries them one after another. To fix it, make one query for all items.
func (s *service) basket(ctx context.Context, ids string) (string, error) {
	var lines []string
	for _, id := range strings.Split(ids, ",") {
		line, err := s.pool.Query(ctx, "item", id)
		if err != nil {
			return "", err
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}

func (s *service) order(ctx context.Context, id string) (string, error) {
	line, err := s.pool.Query(ctx, "reserve", id)
	if err != nil {
		return "", err
	}
	return line, s.log.Write(line)
}

// export sends a warehouse's stock to a receiver, page by page.
//
// The fault: it keeps its connection to the database while the receiver takes each page. A few
// exports at once empty the pool, and all other requests wait for a connection in db.(*Pool).Get. To
// fix it, borrow one for each page.
func (s *service) export(ctx context.Context, warehouse string) (string, error) {
	c, err := s.pool.Get(ctx)
	if err != nil {
		return "", err
	}
	defer c.Release()
	for page := range 6 {
		rows, err := c.Query("page", fmt.Sprintf("%s/%d", warehouse, page))
		if err != nil {
			return "", err
		}
		if err := s.send(ctx, rows); err != nil {
			return "", err
		}
	}
	return "sent", nil
}

func (s *service) send(ctx context.Context, rows string) error {
	req, err := http.NewRequestWithContext(ctx, "POST", s.receiver, strings.NewReader(rows))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
