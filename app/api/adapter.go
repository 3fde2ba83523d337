package api

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	rec := middleware.RecorderOf(w)
	rec.Op = e.Op.Info().Name
	if r.Method == http.MethodHead && e.IsEventStream() {
		refuseMethod(w, http.MethodGet)
		return
	}
	if !e.isUncounted() && !e.IsEventStream() {
		if err := rec.Enter(); err != nil {
			middleware.FailJSON(w, e.unread(w, err))
			return
		}
	}
	if e.takes != "" {
		middleware.LimitUpload(w)
	}
	v, err := e.caller(r)
	if err == nil {
		rec.Viewer = v
		// Checked before the path, so that a caller without the right learns nothing about what exists.
		err = e.Op.Info().Admits(v)
	}
	if err == nil {
		err = e.checkPath(r)
	}
	switch {
	case err != nil:
		e.used(v, true)
		middleware.FailJSON(w, e.unread(w, err))
	case e.stream() != nil:
		e.used(v, false) // at the start: a stream may be open for days
		e.stream().serve(w, r, v)
	default:
		e.respond(w, r, v)
		e.used(v, rec.Failed())
	}
}

// unread closes the connection: the server would otherwise wait up to a minute for the rest of the file before it
// responds.
func (e *endpoint) unread(w http.ResponseWriter, err error) error {
	if e.takes != "" {
		middleware.CloseAfter(w)
	}
	return err
}

func (e *endpoint) used(v store.Viewer, failed bool) {
	if v.KeyID != "" {
		e.h.auth.Used(v, e.Op.Info().Summary, failed)
	}
}

func (e *endpoint) caller(r *http.Request) (v store.Viewer, err error) {
	if e.Op.Info().Guard == op.Bridge {
		v, err = e.h.auth.BridgeCaller(bearer(r))
	} else {
		v, err = e.h.auth.Caller(r)
	}
	if e.Op.Info().Guard == op.Public && core.IsKind(err, core.Unauthenticated) {
		// Clients that sign in again often still send the expired token.
		v, err = store.Viewer{Device: v.Device}, nil
	}
	if err != nil {
		return store.Viewer{}, err
	}
	v.IP = e.h.stack.Client(r)
	return v, nil
}

func (e *endpoint) respond(w http.ResponseWriter, r *http.Request, v store.Viewer) {
	repeat, err := e.repeatOf(r)
	if err != nil {
		middleware.FailJSON(w, e.unread(w, err))
		return
	}
	var upload *file.Upload
	defer func() {
		if upload != nil {
			upload.Close()
		}
	}()
	out, err := e.operation().Invoke(r.Context(), v, repeat, func(in any) error {
		err := e.in.fill(w, r, in)
		if err == nil {
			upload, err = e.h.receive(w, r, v, in)
		}
		if err != nil {
			return e.unread(w, err)
		}
		return nil
	})
	var before *op.Replayed
	if errors.As(err, &before) {
		replay(w, before)
		return
	}
	if err != nil {
		middleware.FailJSON(w, err)
		return
	}
	if s, ok := out.(interface{ SignedIn() string }); ok {
		middleware.RecorderOf(w).SignedIn = s.SignedIn()
	}
	status, out := e.outcome(out)
	if err := keep(r.Context(), repeat, status, out); err != nil {
		middleware.RecorderOf(w).Err = err // logged; the client still gets a response
	}
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	if p, ok := out.(interface{ NextPage() url.Values }); ok && p.NextPage() != nil {
		w.Header().Set("Link", "<"+strings.TrimSuffix(e.h.base, "/")+r.URL.EscapedPath()+"?"+p.NextPage().Encode()+`>; rel="next"`)
	}
	err = writeJSON(w, status, out, func(body []byte) (sent bool) { return e.tag(w, r, v, out, body) })
	if err != nil {
		middleware.FailJSON(w, fmt.Errorf("encode the response of %s: %w", e.Op.Info().Name, err))
	}
}

func (e *endpoint) outcome(out any) (status int, body any) {
	status = e.Status
	if c, ok := out.(op.Created); ok && !c.Created() {
		status = http.StatusOK
	}
	if a, ok := out.(op.Accepted); ok && a.Accepted() {
		status = http.StatusAccepted
	}
	if a, ok := out.(op.Alternative); ok {
		made, otherwise := a.Bodies()
		if out = otherwise; a.Created() {
			out = made
		}
	}
	if status == http.StatusNoContent {
		out = nil
	}
	return status, out
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxReused = 256 << 10

// writeJSON calls before with the body, which reports whether it has sent a response instead. After an error nothing was
// sent. A disconnected client is not an error.
func writeJSON(w http.ResponseWriter, status int, v any, before func(body []byte) (sent bool)) error {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	defer func() {
		if b.Cap() <= maxReused {
			buffers.Put(b)
		}
	}()
	if err := encode(b, v); err != nil {
		return err
	}
	b.WriteByte('\n')
	if before(b.Bytes()) {
		return nil
	}
	if err := middleware.Reserve(w, b.Len()); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
	return nil
}

type jsonAppender interface {
	AppendJSON(b []byte) ([]byte, error)
}

// Text that is not UTF-8 is replaced with U+FFFD, so that the rest of the response stays readable.
func encode(b *bytes.Buffer, v any) error {
	if a, ok := v.(jsonAppender); ok {
		text, err := a.AppendJSON(b.AvailableBuffer())
		b.Write(text)
		return err
	}
	return json.MarshalWrite(b, v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}
