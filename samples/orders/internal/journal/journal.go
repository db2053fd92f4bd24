// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package journal writes lines to a file in the background. Append only queues a line and
// signals a condition; one goroutine waits for the condition and makes the system calls.
package journal

import (
	"os"
	"sync"
)

// Journal is a file with a queue before it.
type Journal struct {
	mu     sync.Mutex
	more   sync.Cond
	queue  []string
	closed bool

	file *os.File
	done chan error
}

// Open starts a journal in a new file of the directory for temporary files.
func Open() (*Journal, error) {
	f, err := os.CreateTemp("", "orders-*.journal")
	if err != nil {
		return nil, err
	}
	j := &Journal{file: f, done: make(chan error, 1)}
	j.more.L = &j.mu
	go func() { j.done <- j.drain() }()
	return j, nil
}

// Append queues a line.
func (j *Journal) Append(line string) {
	j.mu.Lock()
	j.queue = append(j.queue, line)
	j.mu.Unlock()
	j.more.Signal()
}

// Close writes the queued lines and removes the file, which is not read.
func (j *Journal) Close() error {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.more.Signal()
	err := <-j.done
	j.file.Close()
	os.Remove(j.file.Name())
	return err
}

// drain is the writer: it takes all queued lines, writes them, and calls fsync.
func (j *Journal) drain() error {
	for {
		lines, ok := j.take()
		for _, l := range lines {
			if _, err := j.file.WriteString(l); err != nil {
				return err
			}
		}
		if !ok {
			return nil
		}
		if err := j.file.Sync(); err != nil {
			return err
		}
	}
}

func (j *Journal) take() (lines []string, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.queue) == 0 && !j.closed {
		j.more.Wait()
	}
	lines, j.queue = j.queue, nil
	return lines, !j.closed
}
