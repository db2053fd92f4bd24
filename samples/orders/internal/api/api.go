// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package api is the HTTP face of the shop.
package api

import (
	"context"
	"encoding/json"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"time"

	"orders/internal/cart"
	"orders/internal/login"
	"orders/internal/render"
	"orders/internal/search"
)

// API has the dependencies of the handlers.
type API struct {
	Desk      *cart.Desk
	Catalogue *search.Catalogue
	Sessions  *login.Store
}

// Handler routes the endpoints.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /checkout", traced("checkout", a.checkout))
	mux.HandleFunc("GET /search", traced("search", a.search))
	mux.HandleFunc("POST /login", traced("login", a.login))
	return mux
}

type handler func(context.Context, *http.Request) (any, error)

// traced makes each request a task of the execution trace, named after its endpoint, and
// labels its goroutines for the profiles. A request has five seconds.
func traced(name string, h handler) http.HandlerFunc {
	labels := pprof.Labels("endpoint", "/"+name)
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
		defer cancel()
		ctx, task := trace.NewTask(ctx, name)
		defer task.End()
		pprof.Do(ctx, labels, func(ctx context.Context) {
			v, err := h(ctx, r)
			if err == nil {
				err = render.JSON(ctx, w, v)
			}
			if err != nil {
				trace.Log(ctx, "error", err.Error())
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
}

func (a *API) checkout(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		Lines    []cart.Line
		Currency string
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	return a.Desk.Checkout(ctx, in.Lines, in.Currency)
}

func (a *API) search(ctx context.Context, r *http.Request) (any, error) {
	found, first, err := a.Catalogue.Find(ctx, r.FormValue("q"), 4)
	return map[string]any{"found": found, "first": first}, err
}

// login runs the check as a task, a child of the task of the request.
func (a *API) login(ctx context.Context, r *http.Request) (any, error) {
	ctx, task := trace.NewTask(ctx, "authenticate")
	defer task.End()
	user := r.FormValue("user")
	token, err := a.Sessions.Login(ctx, user, strings.Repeat(user, 3))
	return map[string]string{"user": user, "token": token}, err
}
