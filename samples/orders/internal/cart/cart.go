// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package cart turns a cart into an order: price it, convert it, choose a carrier, book it.
package cart

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/trace"
	"sync"
	"time"

	"orders/internal/cache"
	"orders/internal/db"
	"orders/internal/journal"
)

// Line is one line of a cart.
type Line struct {
	SKU string `json:"sku"`
	Qty int    `json:"qty"`
}

// Order is a cart that was booked.
type Order struct {
	Lines    []Line  `json:"lines"`
	Cents    []int   `json:"cents"`
	Currency string  `json:"currency"`
	Total    float64 `json:"total"`
	Shipping Quote   `json:"shipping"`
}

// Quote is the offer of a carrier.
type Quote struct {
	Carrier string `json:"carrier"`
	Cents   int    `json:"cents"`
}

// Desk checks out carts.
type Desk struct {
	Cache   *cache.Cache
	DB      *db.Pool
	Journal *journal.Journal
}

// Checkout books a cart. Its four steps are four regions of the request's task.
func (d *Desk) Checkout(ctx context.Context, lines []Line, currency string) (*Order, error) {
	o := &Order{Lines: lines, Currency: currency}
	var err error
	trace.WithRegion(ctx, "price", func() { o.Cents, err = d.price(ctx, lines) })
	if err != nil {
		return nil, err
	}
	trace.WithRegion(ctx, "convert", func() { o.Total, err = d.convert(ctx, o) })
	if err != nil {
		return nil, err
	}
	trace.WithRegion(ctx, "ship", func() { o.Shipping, err = d.ship(ctx) })
	if err != nil {
		return nil, err
	}
	trace.WithRegion(ctx, "book", func() { err = d.book(ctx, o) })
	return o, err
}

// price looks up all lines at once, a goroutine each, and waits for the last of them.
func (d *Desk) price(ctx context.Context, lines []Line) ([]int, error) {
	cents := make([]int, len(lines))
	errs := make([]error, len(lines))
	var wg sync.WaitGroup
	for i, l := range lines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var p struct{ Cents int }
			raw, err := d.Cache.Get(ctx, "price/"+l.SKU)
			if err == nil {
				err = json.Unmarshal(raw, &p)
			}
			cents[i], errs[i] = l.Qty*p.Cents, err
		}()
	}
	wg.Wait()
	return cents, errors.Join(errs...)
}

// convert adds up the prices in the currency of the customer. Each checkout needs the exchange
// rates, so a checkout is the first to find them expired: see cache.Get.
func (d *Desk) convert(ctx context.Context, o *Order) (float64, error) {
	raw, err := d.Cache.Get(ctx, "rates/today")
	if err != nil {
		return 0, err
	}
	var rates map[string]float64
	if err := json.Unmarshal(raw, &rates); err != nil {
		return 0, err
	}
	sum := 0
	for _, c := range o.Cents {
		sum += c
	}
	return float64(sum) / 100 * rates[o.Currency], nil
}

const patience = 8 * time.Millisecond

// ship asks all carriers and takes the cheapest offer that came in time.
//
// The fault: a goroutine leak. The channel has no buffer. A carrier that answers after the time
// limit sends to a channel without a receiver, and its goroutine blocks for ever. To fix it,
// give the channel a buffer of len(carriers).
func (d *Desk) ship(ctx context.Context) (Quote, error) {
	carriers := []string{"swift", "goose", "snail"}
	offers := make(chan Quote)
	for _, name := range carriers {
		go func() { offers <- ask(ctx, name) }()
	}

	best := Quote{Carrier: "none"}
	late := time.NewTimer(patience)
	defer late.Stop()
	for range carriers {
		select {
		case q := <-offers:
			if best.Cents == 0 || q.Cents < best.Cents {
				best = q
			}
		case <-late.C:
			trace.Log(ctx, "ship", "a carrier is late")
			return best, nil
		case <-ctx.Done():
			return best, ctx.Err()
		}
	}
	return best, nil
}

// ask pretends to call a carrier. The snail is late one time in twenty.
func ask(ctx context.Context, carrier string) Quote {
	defer trace.StartRegion(ctx, "ask "+carrier).End()
	think := time.Duration(500+rand.IntN(1500)) * time.Microsecond
	if carrier == "snail" && rand.IntN(20) == 0 {
		think = 4 * patience
	}
	time.Sleep(think)
	return Quote{carrier, 390 + rand.IntN(600)}
}

// book writes the order to the database and to the journal.
func (d *Desk) book(ctx context.Context, o *Order) error {
	if _, err := d.DB.Query(ctx, "insert", fmt.Sprintf("order/%.2f", o.Total)); err != nil {
		return err
	}
	d.Journal.Append(fmt.Sprintf("order %d lines %.2f %s by %s\n", len(o.Lines), o.Total,
		o.Currency, o.Shipping.Carrier))
	trace.Logf(ctx, "order", "%d lines, %.2f %s", len(o.Lines), o.Total, o.Currency)
	return nil
}
