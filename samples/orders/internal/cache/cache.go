// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package cache keeps recent answers of the database, each for a limited time. It removes the
// least recently used one when it is full.
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

// The times for which an answer is valid. Prices change rarely, exchange rates often.
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

// Cache is a map and a list, which one mutex protects.
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
// This is the main fault. A caller that finds no valid answer queries the database *with the
// mutex locked*. A price takes a millisecond. The exchange rates take 40 ms, every 400 ms, and
// in this time all other callers wait, also for answers that are in the cache. The trace shows
// a comb: all requests stop at the Lock below, one goroutine waits for the network in refresh,
// and after its Unlock the others continue one by one.
//
// To fix it, mark the entry as being refreshed, unlock, query, lock, and store the answer. Only
// callers that need this key wait, or use the old answer.
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
