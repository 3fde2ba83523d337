// Package core has the basics of the packages above the store: errors, optional members, cursors and input
// validation.
package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// Kind is the class of an Error. Each transport maps it to its own status.
type Kind uint8

const (
	Internal        Kind = iota // the server failed; never shown in detail
	Invalid                     // the request is malformed or violates a rule
	Unauthenticated             // no credential, or an invalid one
	Forbidden                   // the caller may see it, but not do this
	NotFound                    // does not exist or is not visible: the two look the same
	Conflict                    // the current state does not permit it
	Gone                        // it existed and has ended
	TooLarge                    // the body is larger than the limit
	Unsupported                 // the body has an unsupported content type
	TooMany                     // a limit is reached; RetryAfter is when to try again
	Unavailable                 // cannot be served now; nothing was done
	BadGateway                  // a request to another server failed
	StorageFull                 // a quota for storage is reached; nothing was stored
	Precondition                // the object has another version than the caller knows; Version is the current one
)

// Error is the error of an operation. Msg is a sentence for people that says what to do, Code an identifier for
// programs. Field is the invalid member of the input, if any. Current is the current state with a Conflict, Version
// the current version with a Precondition. Msg has no data of others, because answers are stored. Err is only logged.
type Error struct {
	Kind       Kind
	Code       string
	Msg        string
	Field      string
	Current    jsontext.Value // an object, or nil
	Version    string
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Code + ": " + e.Msg + ": " + e.Err.Error()
	}
	return e.Code + ": " + e.Msg
}

func (e *Error) Unwrap() error { return e.Err }

// New returns an Error of kind k. The message is formatted as by Sprintf.
func New(k Kind, code, msg string, args ...any) *Error {
	if len(args) > 0 {
		msg = fmt.Sprintf(msg, args...)
	}
	return &Error{Kind: k, Code: code, Msg: msg}
}

// InvalidField returns an Invalid error about one member of the input.
func InvalidField(field, msg string, args ...any) *Error {
	e := New(Invalid, "invalid_input", msg, args...)
	e.Field = field
	return e
}

// ErrNotFound is the error for an object that does not exist or that the caller may not see.
var ErrNotFound = New(NotFound, "not_found", "Not found. Check the address and which account you are signed in to.")

// ErrUnauthenticated is the error for a missing or invalid credential.
var ErrUnauthenticated = New(Unauthenticated, "unauthenticated", "Sign in first, or send a valid token as Authorization: Bearer <token>.")

// ErrOtherAccount is the error for a request from a page of another account than the one now signed in.
var ErrOtherAccount = New(Conflict, "other_account", "You are signed in as another account now. Reload the page.")

// ErrHumanOnly is the error for a key or an embedded session that calls an operation for people alone.
var ErrHumanOnly = New(Forbidden, "human_only", "Only the account's owner can do this, signed in. Keys and embedded sessions cannot.")

// ErrAdminOnly is the error for a person who calls an operation for administrators without being one.
var ErrAdminOnly = New(Forbidden, "admin_only", "Only administrators of this server can do this.")

// ErrNotMember is the error for a conversation that does not exist or that the caller is not a member of. It is used
// where the interface has 403 for both.
var ErrNotMember = New(Forbidden, "not_member", "You are not a member of this conversation, or there is none with this id.")

// ErrPublicKey is the error for the public agent key where an account is required.
var ErrPublicKey = New(Forbidden, "public_key",
	"The public agent key can only read public lists and add to open ones. Use your own key, or sign in.")

// TooManyAfter returns a TooMany error to try again after d, at least a second. Its message says so, too.
func TooManyAfter(d time.Duration, code, msg string, args ...any) *Error {
	e := New(TooMany, code, msg, args...)
	e.RetryAfter = max(d, time.Second)
	e.Msg += " Try again in " + inWords(e.RetryAfter) + "."
	return e
}

func inWords(d time.Duration) string {
	seconds := int((d + time.Second - time.Millisecond) / time.Second)
	for _, unit := range []struct {
		seconds int
		name    string
	}{{24 * 60 * 60, "days"}, {60 * 60, "hours"}, {60, "minutes"}, {1, "seconds"}} {
		if seconds >= 2*unit.seconds {
			return fmt.Sprintf("%d %s", (seconds+unit.seconds-1)/unit.seconds, unit.name)
		}
	}
	return "a second"
}

// As returns err as an *Error. Another error is Internal; a busy database, a timeout or a canceled request is
// Unavailable.
func As(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, store.ErrFull):
		return &Error{Kind: Unavailable, Code: "storage_full",
			Msg: "The server's disk is full, so nothing was saved. Reading still works. Try again later.", RetryAfter: 30 * time.Second, Err: err}
	case store.Unavailable(err):
		return &Error{Kind: Unavailable, Code: "storage_unavailable",
			Msg: "The server cannot save anything right now, and nothing was saved. Try again later.", RetryAfter: 10 * time.Second, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: Unavailable, Code: "timeout", Msg: "This took too long and was stopped. Try again.", Err: err}
	case errors.Is(err, context.Canceled): // a client that closes its sending side may still read
		return &Error{Kind: Unavailable, Code: "canceled",
			Msg: "The connection was closed before this was done. Keep it open until the response has arrived. If this was a change, read whether " +
				"it was made before you try again.", Err: err}
	}
	return &Error{Kind: Internal, Code: "internal",
		Msg: "Something went wrong. Try again. If it happens again, contact the administrators of this server.", Err: err}
}

// Found returns ErrNotFound for store.ErrNoRow, and other errors unchanged.
func Found(err error) error {
	if errors.Is(err, store.ErrNoRow) {
		return ErrNotFound
	}
	return err
}

// Known reports whether err is an *Error.
func Known(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}

// IsKind reports whether err is an *Error of kind k.
func IsKind(err error, k Kind) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == k
}
