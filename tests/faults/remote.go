// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

// init makes this process the remote one if it was started with the argument "remote". It runs until its standard input ends.
func init() {
	if len(os.Args) != 2 || os.Args[1] != "remote" {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answer(conn)
		}
	}()
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func answer(conn net.Conn) {
	var b [8]byte
	for {
		if _, err := io.ReadFull(conn, b[:]); err != nil {
			return
		}
		time.Sleep(time.Duration(binary.LittleEndian.Uint64(b[:])))
		conn.Write(b[:])
	}
}

// running refers to the remote processes. Otherwise the garbage collector would close their standard input, which ends them.
var running []*exec.Cmd

func startRemote() *remote {
	cmd := exec.Command("/proc/self/exe", "remote")
	_, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err != nil || err2 != nil || cmd.Start() != nil {
		fmt.Fprintln(os.Stderr, "faults: cannot start the remote process")
		os.Exit(1)
	}
	running = append(running, cmd)
	addr, _ := bufio.NewReader(out).ReadString('\n')
	return &remote{strings.TrimSpace(addr)}
}

// compress starts a program for each of its files, and waits for it. Without the fault only a goroutine for which nothing
// waits does so.
func compress() { exec.Command("sleep", "0.004").Run() }

func childProcess() {
	far := startRemote()
	c := far.dial()
	begin()
	if sound {
		go compress()
	}
	each(2, func(i int) {
		for range 20 {
			if !sound {
				compress()
			} else if i == 0 {
				c.ask(time.Millisecond)
			}
			compute(200 * time.Microsecond)
		}
	})
}
