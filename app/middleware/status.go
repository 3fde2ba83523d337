package middleware

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
)

var statuses = map[core.Kind]int{
	core.Invalid:         http.StatusBadRequest,
	core.Unauthenticated: http.StatusUnauthorized,
	core.Forbidden:       http.StatusForbidden,
	core.NotFound:        http.StatusNotFound,
	core.Conflict:        http.StatusConflict,
	core.Gone:            http.StatusGone,
	core.TooLarge:        http.StatusRequestEntityTooLarge,
	core.Unsupported:     http.StatusUnsupportedMediaType,
	core.TooMany:         http.StatusTooManyRequests,
	core.Unavailable:     http.StatusServiceUnavailable,
	core.BadGateway:      http.StatusBadGateway,
	core.StorageFull:     http.StatusInsufficientStorage,
	core.Precondition:    http.StatusPreconditionFailed,
}

// Status returns the HTTP status of a kind of error.
func Status(k core.Kind) int { return cmp.Or(statuses[k], http.StatusInternalServerError) }

// statusClosed counts requests whose client left before the answer. It is never sent.
const statusClosed = 499

// ErrorOf returns the error to answer, and sets Cache-Control and Retry-After. Errors other than *core.Error
// are converted by core.As.
func ErrorOf(w http.ResponseWriter, err error) *core.Error {
	e := core.As(err)
	if rec := RecorderOf(w); rec != nil {
		rec.Err = err
	}
	w.Header().Set("Cache-Control", "no-store")
	if e.Kind == core.TooMany || e.Kind == core.Unavailable {
		SetRetryAfter(w, e)
	}
	return e
}

// SetRetryAfter sets the seconds to wait after e.
func SetRetryAfter(w http.ResponseWriter, e *core.Error) {
	w.Header().Set("Retry-After", strconv.Itoa(max(1, int((e.RetryAfter+time.Second-1)/time.Second))))
}

// ErrorBody is an error as JSON.
type ErrorBody struct {
	Error     string         `json:"error" doc:"A sentence for people that explains what to do."`
	Code      string         `json:"code" doc:"A stable identifier for programs."`
	Field     string         `json:"field,omitzero" doc:"The member of the request that is not valid, if any."`
	Current   jsontext.Value `json:"current,omitzero" format:"object" doc:"With some conflicts: the object as it is now."`
	Version   string         `json:"version,omitzero" doc:"With status 412: the current version of the object, for If-Match."`
	RequestID string         `json:"requestId,omitzero" doc:"With status 500: the id to report to the administrators."`
}

// SchemaName implements op.Named.
func (ErrorBody) SchemaName() string { return "Error" }

// FailJSON answers with err as JSON unless the response has begun. An error other than a *core.Error is logged and
// shown as a fixed sentence.
func FailJSON(w http.ResponseWriter, err error) {
	if rec := RecorderOf(w); rec != nil && rec.Answered() {
		rec.Err = err
		return
	}
	e := ErrorOf(w, err)
	SendError(w, Status(e.Kind), e)
}

// SendError answers with e as JSON.
func SendError(w http.ResponseWriter, status int, e *core.Error) {
	body := ErrorBody{Error: e.Msg, Code: e.Code, Field: e.Field, Current: e.Current, Version: e.Version}
	h := w.Header()
	switch status {
	case http.StatusPreconditionFailed:
		h.Set("ETag", `"`+e.Version+`"`)
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusInternalServerError:
		if rec := RecorderOf(w); rec != nil {
			body.RequestID = rec.ID
		}
	}
	b, err := json.Marshal(body, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		w.WriteHeader(status)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(b)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
}
