// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package login checks passwords and keeps sessions.
package login

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"runtime/trace"
	"sync"
	"time"

	"orders/internal/cache"
)

const rounds = 40000

// Session is created by a login.
type Session struct {
	User  string
	Since time.Time
	Token string
	Draft []byte // the cart that is being filled
}

// Store holds all sessions.
//
// The fault: a leak. Nothing removes a session, neither a log-out nor its age. The difference
// of leak-after.pb.gz and leak-before.pb.gz is allocated by open, below.
type Store struct {
	Cache *cache.Cache

	mu       sync.RWMutex
	sessions map[string]*Session
}

// Login checks a password and opens a session.
func (s *Store) Login(ctx context.Context, user, password string) (string, error) {
	raw, err := s.Cache.Get(ctx, "user/"+user)
	if err != nil {
		return "", err
	}
	var u struct{ Salt string }
	if err := json.Unmarshal(raw, &u); err != nil {
		return "", err
	}
	trace.WithRegion(ctx, "hash", func() { stretch(password, u.Salt) })
	return s.open(user), nil
}

// stretch hashes many times, so that it is slow, as password hashes have to be.
func stretch(password, salt string) [32]byte {
	sum := sha256.Sum256([]byte(salt + password))
	for range rounds {
		sum = sha256.Sum256(sum[:])
	}
	return sum
}

func (s *Store) open(user string) string {
	var raw [16]byte
	rand.Read(raw[:])
	token := hex.EncodeToString(raw[:])

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil {
		s.sessions = make(map[string]*Session)
	}
	s.sessions[token] = &Session{user, time.Now(), token, make([]byte, 4<<10)}
	return token
}

// Count returns the number of open sessions.
func (s *Store) Count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.sessions)
}
