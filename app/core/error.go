// Package core holds the words every room speaks: errors, optional members,
// cursors and the validation of what comes in.
package core

import (
	"errors"
	"fmt"
	"time"

	"hearth/store"
)

// Kind is the class of an Error; each door maps it to its own status.
type Kind uint8

const (
	Internal        Kind = iota // something of ours failed; never shown in detail
	Invalid                     // the request is malformed or breaks a rule of form
	Unauthenticated             // no credential, or one that is not valid
	Forbidden                   // known, but not allowed where the contract says so
	NotFound                    // does not exist, or may not be seen: never told apart
	Conflict                    // the state of things does not permit it
	Gone                        // it was there and is over
	TooLarge                    // the body is larger than the limit
	Unsupported                 // the body is of a type that is not read here
	TooMany                     // a quota is used up; RetryAfter says when to return
	Unavailable                 // cannot be served now; nothing was done
	BadGateway                  // another server, asked on the caller's behalf, failed
)

// Error is an answer other than success. Msg is a sentence for people that
// says what to do; Code is a stable word for programs; Field names the
// member of the input that is at fault, where one is. Err is for the log.
type Error struct {
	Kind       Kind
	Code       string
	Msg        string
	Field      string
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

// ErrNotFound is the one answer for what does not exist and for what the
// caller may not see.
var ErrNotFound = New(NotFound, "not_found", "There is nothing here that you can see. Check the address and who you are signed in as.")

// ErrUnauthenticated is the answer to a missing or invalid credential.
var ErrUnauthenticated = New(Unauthenticated, "unauthenticated", "Sign in first, or send a valid token as Authorization: Bearer <token>.")

// ErrHumanOnly is the answer to a key on an endpoint that only a person in a
// session of their own may use.
var ErrHumanOnly = New(Forbidden, "human_only", "Only the account's owner can do this, signed in as a person; keys and embedded sessions cannot.")

// TooManyAfter returns a TooMany error that tells the caller when to return.
func TooManyAfter(d time.Duration, code, msg string, args ...any) *Error {
	e := New(TooMany, code, msg, args...)
	e.RetryAfter = max(d, time.Second)
	return e
}

// As returns err as an *Error. Anything else than an *Error is Internal.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	switch {
	case errors.Is(err, store.ErrFull):
		return &Error{Kind: Unavailable, Code: "storage_full", Msg: "The server's disk is full, so nothing was saved. Reading still works; try again later.", RetryAfter: 30 * time.Second, Err: err}
	case store.Unavailable(err):
		return &Error{Kind: Unavailable, Code: "storage_unavailable", Msg: "The server cannot save anything at the moment, and nothing was saved. Try again later.", RetryAfter: 10 * time.Second, Err: err}
	}
	return &Error{Kind: Internal, Code: "internal", Msg: "Something went wrong on this server. Nothing was lost; try again, and tell the people who run it if it stays.", Err: err}
}

// Found returns ErrNotFound for store.ErrNoRow, the store's answer for what
// does not exist and for what the viewer may not see, and every other err as
// it is, nil included.
func Found(err error) error {
	if errors.Is(err, store.ErrNoRow) {
		return ErrNotFound
	}
	return err
}

// IsKind reports whether err is an *Error of kind k.
func IsKind(err error, k Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}
