// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package report sums up the sales. It causes most work of the garbage collector: it makes
// hundreds of thousands of small objects that are alive until its end. The heap doubles several
// times, with a GC cycle each time, and each cycle has more to mark than the last one. The
// report allocates faster than the background workers mark, so its goroutines make mark
// assists, and so does any request that allocates in that time.
package report

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/trace"
	"slices"
	"sync"
)

type sale struct {
	sku   string
	till  string
	cents int
	next  *sale // of the same product
}

type sum struct {
	sku   string
	cents int
}

// Build writes the report of n sales into a file and removes it, because it is not read.
func Build(ctx context.Context, n int) error {
	ctx, task := trace.NewTask(ctx, "report")
	defer task.End()

	var bySKU map[string]*sale
	var sums []sum
	trace.WithRegion(ctx, "collect", func() { bySKU = collect(ctx, n) })
	trace.Logf(ctx, "report", "%d sales of %d products", n, len(bySKU))
	trace.WithRegion(ctx, "summarise", func() { sums = summarise(bySKU) })

	var err error
	trace.WithRegion(ctx, "export", func() { err = export(ctx, sums, bySKU) })
	return err
}

// collect reads the sales of several shops, by a goroutine for each, and joins the results.
func collect(ctx context.Context, n int) map[string]*sale {
	const shops = 3
	parts := make([]map[string]*sale, shops)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer trace.StartRegion(ctx, "shop").End()
			parts[i] = readShop(i, n/shops)
		}()
	}
	wg.Wait()

	all := parts[0]
	for _, part := range parts[1:] {
		for sku, s := range part {
			last := s
			for last.next != nil {
				last = last.next
			}
			last.next, all[sku] = all[sku], s
		}
	}
	return all
}

// readShop makes n sales of three objects each, all of which stay alive.
func readShop(shop, n int) map[string]*sale {
	r := rand.New(rand.NewPCG(1, uint64(shop)))
	bySKU := make(map[string]*sale)
	for range n {
		sku := fmt.Sprintf("S%04d", r.IntN(2000))
		till := fmt.Sprintf("shop %d, till %d", shop, r.IntN(40))
		bySKU[sku] = &sale{sku, till, 100 + r.IntN(9000), bySKU[sku]}
	}
	return bySKU
}

func summarise(bySKU map[string]*sale) []sum {
	var sums []sum
	for sku, s := range bySKU {
		row := sum{sku: sku}
		for ; s != nil; s = s.next {
			row.cents += s.cents
		}
		sums = append(sums, row)
	}
	slices.SortFunc(sums, func(a, b sum) int { return cmp.Compare(b.cents, a.cents) })
	return sums
}

// export writes all sales, the best product first. It ends in long system calls.
func export(ctx context.Context, sums []sum, bySKU map[string]*sale) error {
	f, err := os.CreateTemp("", "orders-*.report")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 256<<10)
	for _, row := range sums {
		fmt.Fprintf(w, "%s\t%d.%02d\n", row.sku, row.cents/100, row.cents%100)
		for s := bySKU[row.sku]; s != nil; s = s.next {
			fmt.Fprintf(w, "\t%s\t%d.%02d\n", s.till, s.cents/100, s.cents%100)
		}
	}
	err = w.Flush()
	trace.WithRegion(ctx, "sync", func() { err = errors.Join(err, f.Sync()) })
	return errors.Join(err, f.Close())
}
