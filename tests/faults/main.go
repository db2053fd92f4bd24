// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Faults records execution traces of programs that have one planted fault each, and of the same programs without the fault.
// There is a program for each rule of `ttrace findings`, and RULE+NAME has another form of the fault of a rule. Half of the
// programs have no user tasks.
//
//	faults RULE FILE          the program with the fault
//	faults -sound RULE FILE   the same program without the fault
//	faults -flight FILE       the snapshot of a flight recorder
//
// The table below has the function that causes each fault; record.sh writes it to truth.tsv.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

type fault struct {
	procs  int
	run    func()
	guilty string // the function of the fault; several are separated by |; "-": no function of the program
}

var sound bool

var faults = map[string]fault{
	"lock-queue":      {4, lockQueue, "main.(*account).post"},
	"stuck-lock":      {4, stuckLock, "main.(*shelf).move"},
	"single-server":   {4, singleServer, "main.price|main.(*quoter).serve"},
	"serial-stage":    {4, serialStage, "main.unpack|main.reader"},
	"pool-exhausted":  {4, poolExhausted, "main.(*pool).query|main.report"},
	"leak":            {4, leak, "main.lookup|main.lookup.func1"},
	"gc":              {2, gcPressure, "main.render"},
	"heap-grows":      {4, heapGrows, "main.(*history).keep|main.page"},
	"stw":             {4, stopTheWorld, "main.dump"},
	"no-P":            {2, noP, "main.encode"},
	"long-run":        {2, longRun, "main.checksum"},
	"gomaxprocs":      {4, lowerProcs, "main.throttle"},
	"fine-goroutines": {4, fineGoroutines, "main.sum|main.sum.func1"},
	"child-process":   {4, childProcess, "main.compress"},
	"syscall":         {4, blockingCalls, "main.(*device).read"},
	"sleep":           {4, pollingSleep, "main.(*order).wait"},
	"network":         {4, slowNetwork, "main.(*client).ask"},
	"tail":            {4, tail, "main.(*table).rebuild|main.(*client).ask"},
	"straggler":       {4, straggler, "main.shard"},
	"imbalance":       {4, imbalance, "main.relax"},
	"spin":            {4, spin, "main.(*gate).pass"},
	"rate-limit":      {4, rateLimit, "main.(*limiter).wait"},
	"serial-calls":    {4, serialCalls, "main.basket"},
	"thundering-herd": {4, thunderingHerd, "main.(*mailbox).put"},
	"frozen":          {2, frozen, "-"},
	"own-cpu":         {4, ownCPU, "main.match"},
	"stolen-cpu":      {2, stolenCPU, "-"},

	"stuck-wait":        {4, stuckSend, "main.(*broker).deliver"},
	"stuck-wait+rest":   {4, stuckCondition, "main.(*starter).await"},
	"stuck-lock+mixed":  {4, lockAcrossReceive, "main.(*settings).reload"},
	"stuck-lock+before": {4, stuckBefore, "main.(*settings).reload|main.(*settings).get"},
	"leak+library":      {4, leakOfLibrary, "main.session.watch"},

	"gc+forced":                {1, forcedGC, "main.pack"},
	"imbalance+rounds":         {2, unevenRounds, "main.count"},
	"lock-queue+writer":        {4, lockBehindLock, "main.(*rates).convert"},
	"spin+select":              {4, emptySelect, "main.collect"},
	"network+delays":           {4, slowAndDelayed, "main.(*client).ask"},
	"lock-queue+methods":       {4, lockOfMethods, "main.(*desk).save"},
	"pool-exhausted+sql":       {4, exhaustedDB, "main.audit"},
	"pool-exhausted+transport": {4, exhaustedTransport, "main.search"},
}

func main() {
	if err := record(); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func record() error {
	list := flag.Bool("list", false, "print rules and the functions of their faults")
	snapshot := flag.Bool("flight", false, "write the snapshot of a flight recorder")
	flag.BoolVar(&sound, "sound", false, "run the program without the fault")
	flag.Parse()
	if *snapshot {
		return flight(flag.Arg(0))
	}
	if *list {
		for rule, f := range faults {
			fmt.Printf("%s\t%s\n", rule, f.guilty)
		}
		return nil
	}
	f, ok := faults[flag.Arg(0)]
	if !ok || flag.NArg() != 2 {
		return errors.New("usage: faults [-sound] RULE FILE")
	}
	out, err := os.Create(flag.Arg(1))
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(f.procs)
	calibrate()
	start := time.Now()
	f.run()
	trace.Stop() // has no effect if the program has stopped the trace
	fmt.Fprintf(os.Stderr, "%s: %v\n", flag.Arg(0), time.Since(start).Round(time.Millisecond))
	return out.Close()
}
