// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The ttrace authors

// Package render writes answers as JSON.
package render

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"runtime/trace"
)

// JSON writes v, indented, with a checksum of the body as the entity tag.
func JSON(ctx context.Context, w http.ResponseWriter, v any) error {
	defer trace.StartRegion(ctx, "render").End()
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	_, err := w.Write(body.Bytes())
	return err
}
