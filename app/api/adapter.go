package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/julienschmidt/httprouter"

	"hearth/app/core"
	"hearth/store"
)

// endpoint is a Route made ready to serve.
type endpoint struct {
	Route
	h      *Handler
	params []string
	in     input
}

// prepare checks the row and makes its endpoint ready; params must be known.
func (e *endpoint) prepare() (err error) {
	switch {
	case e.Guard == closed || e.Guard > Bridge:
		return errors.New("the row has no guard")
	case e.Op.call == nil && e.Op.stream == nil:
		return errors.New("the row has no operation")
	case e.Status < 200 || e.Status > 299:
		return errors.New("the row has no status of success")
	case e.Summary == "":
		return errors.New("the row has no summary")
	case e.Guard == Bridge && e.h.bridge == nil:
		return errors.New("the row needs an Authenticator that is a BridgeAuthenticator")
	}
	if e.Op.call != nil {
		e.in, err = newInput(e.Op.in, e.params)
	}
	return err
}

// serve answers one request: who is it, may they come in, what do they ask.
func (e *endpoint) serve(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
	res := w.(*response)
	res.op = e.Op.name
	if !e.Op.uncounted {
		if !e.h.gate.enter() {
			Fail(w, core.New(core.Unavailable, "busy", "The server has as much to do as it can. Try again in a second."))
			return
		}
		res.leave = e.h.gate.leave
		defer res.done()
	}
	if e.Op.answer.Body != "" {
		limitBody(w, r, uploadTime)
	}
	v, err := e.admit(r)
	res.viewer = v
	if err == nil {
		err = e.setPath(r, ps)
	}
	switch {
	case err != nil:
		Fail(w, err)
	case e.Op.stream != nil:
		e.Op.stream(w, r, v)
	default:
		e.answer(w, r, v)
	}
}

// limitBody gives the body a time to arrive in. It counts whether or not
// anything here reads the body, because the server waits for the rest before
// it answers; the server lifts it when the body has ended.
func limitBody(w http.ResponseWriter, r *http.Request, limit time.Duration) {
	if r.Body != nil && r.Body != http.NoBody {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit))
	}
}

// admit says who calls and whether the guard lets them pass.
func (e *endpoint) admit(r *http.Request) (v store.Viewer, err error) {
	if e.Guard == Bridge {
		v, err = e.h.bridge.BridgeCaller(bearer(r))
	} else {
		v, err = e.h.auth.Caller(r)
	}
	if e.Guard == Public && core.IsKind(err, core.Unauthenticated) {
		v, err = store.Viewer{Device: v.Device}, nil // who signs in anew often still sends the token that has ended
	}
	if err != nil {
		return store.Viewer{}, err
	}
	v.IP = IPKey(ClientIP(r, e.h.trusted))
	return v, e.Guard.Check(v, r.Method)
}

// setPath puts the parameters where operations and handlers look for them.
// What cannot be an identifier is nowhere, exactly as an unknown one.
func (e *endpoint) setPath(r *http.Request, ps httprouter.Params) error {
	for i, name := range e.params {
		value := strings.TrimPrefix(ps[i].Value, "/")
		if value == "" || isID(name) && !store.ValidID(value) {
			return core.ErrNotFound
		}
		r.SetPathValue(name, value)
	}
	return nil
}

func (e *endpoint) answer(w http.ResponseWriter, r *http.Request, v store.Viewer) {
	out, err := e.Op.call(r.Context(), v, func(in any) error { return e.in.fill(w, r, in) })
	if err != nil {
		Fail(w, err)
		return
	}
	status := e.Status
	if s, ok := out.(Statuser); ok {
		status = s.HTTPStatus()
	}
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	if p, ok := out.(interface{ NextPage() url.Values }); ok && p.NextPage() != nil {
		w.Header().Set("Link", "<"+e.h.baseURL+r.URL.EscapedPath()+"?"+p.NextPage().Encode()+`>; rel="next"`)
	}
	if err := writeJSON(w, status, out); err != nil {
		Fail(w, fmt.Errorf("encode the answer of %s: %w", e.Op.name, err))
	}
}

// buffers are reused between answers; one that an unusual answer made large
// is given up instead of held for ever.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxKept = 256 << 10

// writeJSON encodes v and sends it with its length. It fails before the first
// byte, or not at all: a client that went away is no failure of ours.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	defer func() {
		if b.Cap() <= maxKept {
			buffers.Put(b)
		}
	}()
	// Text that came into the file by another way must not make its list
	// unreadable, so what is not UTF-8 is shown as U+FFFD.
	if err := encode(b, v); err != nil {
		return err
	}
	b.WriteByte('\n')
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
	return nil
}

// jsonAppender is an answer that writes its JSON itself, because it is large
// and asked for often.
type jsonAppender interface {
	AppendJSON(b []byte) ([]byte, error)
}

func encode(b *bytes.Buffer, v any) error {
	if a, ok := v.(jsonAppender); ok {
		text, err := a.AppendJSON(b.AvailableBuffer())
		b.Write(text)
		return err
	}
	return json.MarshalWrite(b, v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// Status returns the HTTP status of a kind of error.
func Status(k core.Kind) int {
	switch k {
	case core.Invalid:
		return http.StatusBadRequest
	case core.Unauthenticated:
		return http.StatusUnauthorized
	case core.Forbidden:
		return http.StatusForbidden
	case core.NotFound:
		return http.StatusNotFound
	case core.Conflict:
		return http.StatusConflict
	case core.Gone:
		return http.StatusGone
	case core.TooLarge:
		return http.StatusRequestEntityTooLarge
	case core.Unsupported:
		return http.StatusUnsupportedMediaType
	case core.TooMany:
		return http.StatusTooManyRequests
	case core.Unavailable:
		return http.StatusServiceUnavailable
	case core.BadGateway:
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}

// errorBody is every answer that is no success.
type errorBody struct {
	Error     string `json:"error" doc:"A sentence that says what to do."`
	Code      string `json:"code" doc:"A stable word for programs."`
	Field     string `json:"field,omitzero" doc:"The member of the request that is at fault, if one is."`
	RequestID string `json:"requestId,omitzero" doc:"With 500: what to tell the people who run the server."`
}

// Fail answers err, if nothing is answered yet. Anything else than a
// *core.Error is shown as a fixed sentence and stands in the log.
func Fail(w http.ResponseWriter, err error) {
	e := core.As(err)
	res := responseOf(w)
	if res != nil {
		res.err = err
		if res.status != 0 {
			return
		}
	}
	if errors.Is(err, context.DeadlineExceeded) && e.Kind == core.Internal {
		e = core.New(core.Unavailable, "timeout", "This took too long and was given up. Try again.")
	}
	failWith(w, Status(e.Kind), e)
}

func failWith(w http.ResponseWriter, status int, e *core.Error) {
	body := errorBody{Error: e.Msg, Code: e.Code, Field: e.Field}
	h := w.Header()
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set("Retry-After", strconv.Itoa(max(1, int((e.RetryAfter.Milliseconds()+999)/1000))))
	case http.StatusInternalServerError:
		if res := responseOf(w); res != nil {
			body.RequestID = res.id
		}
	}
	h.Set("Cache-Control", "no-store")
	if writeJSON(w, status, body) != nil {
		w.WriteHeader(status)
	}
}
