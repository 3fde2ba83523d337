package op

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

// answerTime is how long the answer to a request with an idempotency key is kept.
const answerTime = 24 * time.Hour

// Repeat is a request with an idempotency key. The same request of the same caller, sent again within 24 hours, is not
// carried out again and gets the same answer, without what other people wrote. A request that is refused is not
// recorded. The key is stored as a hash. The answer is encrypted with the key, because it may have a secret that is
// shown once.
type Repeat struct {
	key, transport string

	db            *store.DB // nil if the request is not recorded
	hash, request string
	secret        []byte
	in            any // a pointer to the input
}

// Answer is what a transport answered a request with.
type Answer struct {
	Status int    `json:"s"`
	Body   []byte `json:"b"`
}

// Replayed is the error of a request that was answered before, for the transport to answer in the same way.
type Replayed struct{ Answer }

func (*Replayed) Error() string { return "op: the request was answered before" }

// NewRepeat returns a request with an idempotency key, of a transport whose answers are its own. The transport must
// call Finish with its answer.
func NewRepeat(transport, key string) (*Repeat, error) {
	if key == "" || len(key) > 255 || strings.ContainsFunc(key, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
		return nil, core.New(core.Invalid, "bad_idempotency_key",
			"Idempotency-Key must be 1 to 255 printable ASCII characters, such as a random UUID.")
	}
	return &Repeat{key: key, transport: transport}, nil
}

// Fingerprinted is implemented by inputs with content that is not in a member.
type Fingerprinted interface{ Fingerprint() string }

// begin returns *Replayed if the request was answered before.
func (r *Repeat) begin(ctx context.Context, o *Operation, by store.Viewer, in any) error {
	if r == nil || o.limits == nil || o.limits.Answers == nil {
		return nil
	}
	var err error
	if r.request, err = fingerprint(o.info.Plan, in); err != nil {
		return err
	}
	caller := strings.Join([]string{by.Kind.String(), by.UserID, by.KeyID}, " ")
	if withoutRead(by) {
		caller += " without read" // an answer from before the key lost the scope is not for it
	}
	if !by.SignedIn() {
		caller = by.Kind.String() + " " + by.IP
	}
	scope := strings.Join([]string{r.transport, o.info.Name, caller, r.key}, "\x00")
	r.db, r.in, r.secret, r.hash = o.limits.Answers, in, []byte("answer\x00"+scope), core.Digest("key\x00"+scope)
	return r.replay(ctx)
}

// once does run, once the request is recorded. It goes on if the client disconnects.
func (r *Repeat) once(ctx context.Context, run func(context.Context) error) error {
	if r == nil || r.db == nil {
		return run(ctx)
	}
	ctx = context.WithoutCancel(ctx)
	for begun := false; !begun; {
		err := r.db.Write(ctx, func(tx *store.Tx) (err error) {
			begun, err = tx.BeginRequest(r.hash, r.request, answerTime)
			return err
		})
		if err == nil && !begun {
			err = r.replay(ctx)
		}
		if err != nil {
			return err
		}
	}
	err := run(ctx)
	if err != nil && core.As(err).Kind != core.Internal { // nothing was done
		_ = r.db.Write(ctx, func(tx *store.Tx) error { return tx.DropRequest(r.hash) })
	}
	return err
}

// replay returns *Replayed with the stored answer, Conflict if there is none yet or it is to another input, and nil if
// the request is not recorded. It waits a second for the answer to one that is being carried out.
func (r *Repeat) replay(ctx context.Context) error {
	for range 20 {
		var request string
		var sealed []byte
		err := r.db.Read(ctx, func(rd *store.Reader) (err error) {
			request, sealed, err = rd.Answered(r.hash)
			return err
		})
		switch {
		case errors.Is(err, store.ErrNoRow):
			return nil
		case err != nil:
			return err
		case request != r.request:
			return core.New(core.Conflict, "idempotency_key_reused",
				"This Idempotency-Key was used for another request. Use a new key for each request.")
		case sealed != nil:
			var before Replayed
			if plain, ok := core.Open(r.secret, r.hash, sealed); ok && json.Unmarshal(plain, &before.Answer) == nil {
				return &before
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return core.New(core.Conflict, "request_running",
		"The same request is being carried out, or was and its answer is not known. Read what has changed before you send it with another key.")
}

// Kept returns what the transport gives Finish of the result that it answers with.
func (r *Repeat) Kept(out any) any {
	if r == nil || r.db == nil || out == nil {
		return out
	}
	return hide(out, r.in, othersText)
}

// Finish stores the answer of a request that was carried out.
func (r *Repeat) Finish(ctx context.Context, status int, body []byte) error {
	if r == nil || r.db == nil {
		return nil
	}
	plain, err := json.Marshal(Answer{status, body})
	if err != nil {
		return err
	}
	return r.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return tx.SetAnswer(r.hash, core.Seal(r.secret, r.hash, plain))
	})
}

// fingerprint returns a hash of what the caller sent.
func fingerprint(plan *core.Plan, in any) (string, error) {
	var b bytes.Buffer
	v := reflect.ValueOf(in).Elem()
	for _, f := range plan.Fields {
		b.WriteString("\x00" + f.Name + "\x00")
		if z, ok := v.FieldByIndex(f.Index).Interface().(interface{ IsZero() bool }); ok && z.IsZero() {
			continue // which is not null
		}
		if err := json.MarshalWrite(&b, v.FieldByIndex(f.Index).Interface(), json.Deterministic(true)); err != nil {
			return "", err
		}
	}
	if p, ok := in.(Fingerprinted); ok {
		b.WriteString("\x00" + p.Fingerprint())
	}
	return core.Digest(b.String()), nil
}
