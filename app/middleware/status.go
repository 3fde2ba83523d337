package middleware

import (
	"net/http"
	"strconv"
	"time"

	"hearth/app/core"
)

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
	case core.StorageFull:
		return http.StatusInsufficientStorage
	case core.Precondition:
		return http.StatusPreconditionFailed
	}
	return http.StatusInternalServerError
}

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
