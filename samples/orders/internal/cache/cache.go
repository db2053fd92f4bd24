// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package cache keeps recent answers of the database: least recently used out first, and each
// answer for a limited time.
package cache

import (
	"container/list"
	"context"
	"runtime/trace"
	"strings"
	"sync"
	"time"

	"orders/internal/db"
)

// How long an answer may be served. Prices change rarely, exchange rates all the time.
var ttl = map[string]time.Duration{
	"price": 5 * time.Second,
	"user":  5 * time.Second,
	"rates": 400 * time.Millisecond,
}

type entry struct {
	key     string
	value   []byte
	expires time.Time
}

// Cache is one map and one list under one mutex.
type Cache struct {
	mu    sync.Mutex
	items map[string]*list.Element
	order *list.List // of *entry, the most recently used first
	room  int
	db    *db.Pool
}

// New makes a cache of at most room answers of the database behind pool.
func New(pool *db.Pool, room int) *Cache {
	return &Cache{items: make(map[string]*list.Element), order: list.New(), room: room, db: pool}
}

// Get returns the answer for a key such as "price/S0042", from the cache or the database.
//
// This is the bug of the story. Whoever finds an answer missing or too old asks the database
// for it *while holding the mutex*. For a price that is a millisecond; for the exchange rates
// it is forty, every 400 ms, and in that time nobody gets anything out of the cache, not even
// answers that are there. In the trace it is a comb: all requests stop at the Lock below, one
// goroutine waits for the network under refresh, and on its Unlock they leave one by one.
//
// The mend would be to mark the entry as being refreshed, unlock, ask, lock, store; those who
// need this very key wait for it, or take the old answer, and all others pass.
func (c *Cache) Get(ctx context.Context, key string) ([]byte, error) {
	defer trace.StartRegion(ctx, "cache.Get").End()

	c.mu.Lock()
	defer c.mu.Unlock()

	if el, ok := c.items[key]; ok {
		if e := el.Value.(*entry); time.Now().Before(e.expires) {
			c.order.MoveToFront(el)
			return e.value, nil
		}
	}
	return c.refresh(ctx, key)
}

// refresh asks the database and stores the answer. The caller holds the mutex.
func (c *Cache) refresh(ctx context.Context, key string) ([]byte, error) {
	defer trace.StartRegion(ctx, "cache.refresh").End()
	trace.Log(ctx, "refresh", key)

	kind, name, _ := strings.Cut(key, "/")
	value, err := c.db.Query(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	c.store(&entry{key, value, time.Now().Add(ttl[kind])})
	return value, nil
}

func (c *Cache) store(e *entry) {
	if el, ok := c.items[e.key]; ok {
		el.Value = e
		c.order.MoveToFront(el)
		return
	}
	c.items[e.key] = c.order.PushFront(e)
	for c.order.Len() > c.room {
		last := c.order.Back()
		delete(c.items, last.Value.(*entry).key)
		c.order.Remove(last)
	}
}
