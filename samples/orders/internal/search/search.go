// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package search finds products by a regular expression over their descriptions.
package search

import (
	"context"
	"fmt"
	"regexp"
	"runtime/trace"
	"strings"

	"orders/internal/cache"
)

// Product is a row of the catalogue.
type Product struct {
	SKU  string `json:"sku"`
	Text string `json:"text"`
}

// Hit is a product that matched, with its price from the cache.
type Hit struct {
	Product
	Price string `json:"price"`
}

// Catalogue is all products, in memory.
type Catalogue struct {
	Cache    *cache.Cache
	products []Product
}

var (
	colours = strings.Fields("red green blue black white amber violet")
	things  = strings.Fields("lamp chair table kettle mirror shelf clock carpet teapot candle stool")
	stuff   = strings.Fields("oak steel brass glass linen cork slate walnut")
)

// SKU is the name of the n-th product.
func SKU(n int) string { return fmt.Sprintf("S%04d", n) }

// New makes n products.
func New(c *cache.Cache, n int) *Catalogue {
	cat := &Catalogue{Cache: c}
	for i := range n {
		text := fmt.Sprintf("%s %s of %s, model %d, made to last %d years",
			colours[i%len(colours)], things[i%len(things)], stuff[i%len(stuff)], i, i%17)
		cat.products = append(cat.products, Product{SKU(i), text})
	}
	return cat
}

// Find returns the number of products that match, and the first few of them with their prices.
func (cat *Catalogue) Find(ctx context.Context, expr string, most int) (int, []Hit, error) {
	var found []Product
	var err error
	trace.WithRegion(ctx, "scan", func() { found, err = cat.scan(expr) })
	if err != nil {
		return 0, nil, err
	}
	trace.Logf(ctx, "search", "%q: %d found", expr, len(found))

	var hits []Hit
	trace.WithRegion(ctx, "prices", func() {
		hits, err = cat.prices(ctx, found[:min(most, len(found))])
	})
	return len(found), hits, err
}

// scan tries all products.
//
// The fault: regexp.MatchString compiles the expression on each call, anew for each product.
// In the CPU profile a search is mostly regexp.compile; in the heap profile it is the garbage
// of it. To fix it, call regexp.Compile once before the loop.
func (cat *Catalogue) scan(expr string) ([]Product, error) {
	var found []Product
	for _, p := range cat.products {
		ok, err := regexp.MatchString(expr, p.Text)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, p)
		}
	}
	return found, nil
}

func (cat *Catalogue) prices(ctx context.Context, found []Product) ([]Hit, error) {
	var hits []Hit
	for _, p := range found {
		raw, err := cat.Cache.Get(ctx, "price/"+p.SKU)
		if err != nil {
			return nil, err
		}
		hits = append(hits, Hit{p, string(raw)})
	}
	return hits, nil
}
