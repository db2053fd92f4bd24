// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"context"
	"os"
	"runtime/trace"
	"time"
)

// flight is no fault: a flight recorder writes its snapshot when a lookup was too slow. Every tenth of the reports is slower
// than that, but nothing complains of these. The goroutine that writes only waits for complaints.
func flight(file string) error {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 5 * time.Second, MaxBytes: 1 << 20})
	if err := recorder.Start(); err != nil {
		return err
	}
	slow, done := make(chan bool), make(chan error)
	go func() {
		<-slow
		f, err := os.Create(file)
		if err == nil {
			_, err = recorder.WriteTo(f)
		}
		done <- err
	}()
	for i := 0; i < 60; i++ {
		d := 2 * time.Millisecond
		if i%10 == 5 {
			d = 40 * time.Millisecond
		}
		go request("report", func(context.Context) { time.Sleep(d) })
		time.Sleep(2 * time.Millisecond)
	}
	request("lookup", func(context.Context) { time.Sleep(20 * time.Millisecond) })
	slow <- true
	return <-done
}
