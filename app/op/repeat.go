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

// maxAnswer is how many bytes of an answer are kept at most, and maxFullAnswer on a
// server without storage left.
const (
	maxAnswer     = 256 << 10
	maxFullAnswer = 4 << 10
)

// Repeat is a request with an idempotency key. A request of the same caller with
// the same key, sent again within 24 hours, is not carried out again and gets the
// same answer, as far as other people did not write it; see Kept. Only a hash of the key is stored, and the answer is sealed with the
// key, because it may contain a secret that is shown once.
type Repeat struct {
	key, transport string

	once   *store.Once // nil until the operation was called
	secret []byte
	limits *Limits
	by     store.Viewer
	info   *Info
	in     any // a pointer to the input
}

// Answer is what a transport answered a request with.
type Answer struct {
	Status int    `json:"s"`
	Body   []byte `json:"b"`
}

// Replayed is the error of a request that was answered before, for the transport
// to answer in the same way.
type Replayed struct {
	Answer
	Shown any // the result to answer with instead of the body, or nil
}

func (*Replayed) Error() string { return "op: the request was answered before" }

type repeatKey struct{}

// WithIdempotencyKey returns a context for one call of an operation with an
// idempotency key, of a transport whose answers are its own. The transport must
// call Finish with its answer.
func WithIdempotencyKey(ctx context.Context, transport, key string) (context.Context, *Repeat, error) {
	if key == "" || len(key) > 255 || strings.ContainsFunc(key, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
		e := core.New(core.Invalid, "bad_idempotency_key", "Idempotency-Key must be 1 to 255 printable ASCII characters, such as a random UUID.")
		return ctx, nil, e
	}
	r := &Repeat{key: key, transport: transport}
	return context.WithValue(ctx, repeatKey{}, r), r, nil
}

// Fingerprinted is implemented by inputs with content that is not in a member.
type Fingerprinted interface{ Fingerprint() string }

// begin returns the context for the method of the operation: the first write in
// it records the request. It returns *Replayed if the request was answered before.
func (r *Repeat) begin(ctx context.Context, l *Limits, info *Info, by store.Viewer, in any) (context.Context, error) {
	if r.once != nil || l == nil || l.Answers == nil || info.NoReplay {
		return ctx, nil // if once is set, another operation calls this one
	}
	request, err := fingerprint(info.Plan, in)
	if err != nil {
		return ctx, err
	}
	caller := strings.Join([]string{by.Kind.String(), by.UserID, by.KeyID}, " ")
	if withoutRead(by) {
		caller += " receipt" // an answer from before the key lost a scope is none for it
	}
	if !by.SignedIn() {
		caller = by.Kind.String() + " " + by.IP
	}
	scope := strings.Join([]string{r.transport, info.Name, caller, r.key}, "\x00")
	r.limits, r.by, r.info, r.in, r.secret = l, by, info, in, []byte("answer\x00"+scope)
	r.once = &store.Once{Hash: core.Digest("key\x00" + scope), Request: request, Life: answerTime}
	if err := r.replay(ctx); !errors.Is(err, store.ErrNoRow) {
		return ctx, err
	}
	return store.WithOnce(ctx, r.once), nil
}

// replay returns *Replayed with the stored answer, Conflict if there is none yet
// or it is to another input, and ErrNoRow if the request was not sent before.
func (r *Repeat) replay(ctx context.Context) error {
	var request string
	var sealed []byte
	err := r.limits.Answers.Read(ctx, func(rd *store.Reader) (err error) {
		request, sealed, err = rd.Answered(r.once.Hash)
		return err
	})
	if err != nil {
		return err
	}
	if request != r.once.Request {
		return core.New(core.Conflict, "idempotency_key_reused", "This Idempotency-Key was used for another request. Use a new key for each request.")
	}
	var a Answer
	if plain, ok := core.Open(r.secret, r.once.Hash, sealed); !ok || json.Unmarshal(plain, &a) != nil {
		return core.New(core.Conflict, runningCode, "The same request is being carried out, or was and its answer is not known. Read what has changed before you send it with another key.")
	}
	return &Replayed{Answer: a}
}

// overtaken returns the error of a request that failed with err. If the same
// request was carried out in between, which may be why it failed, that is the error
// of one that was sent again.
func (r *Repeat) overtaken(ctx context.Context, err error) error {
	if err == nil || r == nil || r.once == nil || r.once.Claimed() {
		return err
	}
	if again := r.replay(ctx); !errors.Is(again, store.ErrNoRow) {
		return again
	}
	return err
}

// Repeated reports whether err is that of a request which was carried out before,
// whether or not its answer is known.
func Repeated(err error) bool {
	var before *Replayed
	return errors.As(err, &before) || err != nil && core.As(err).Code == runningCode
}

const runningCode = "request_running"

// Kept returns what the transport gives Finish of a result that it answers with, and
// whether that is all of it. What other people wrote is not kept: they can take it back.
func (r *Repeat) Kept(out any) (kept any, whole bool) {
	if r == nil || r.once == nil || r.info.Own || out == nil {
		return out, true
	}
	if r.info.shown {
		if id := memberOf(plain(reflect.ValueOf(out)), "id"); id.IsValid() && id.Kind() == reflect.String {
			return answered{id.String()}, false
		}
	}
	return receipt(out, r.in), false
}

// KeptError is Kept for an error that the transport answers with.
func (r *Repeat) KeptError(err error) *core.Error { return core.As(receiptError(err)) }

// answered is what is kept of an answer that is shown as it is when it is repeated.
type answered struct {
	ID string `json:"id"`
}

// replayedID returns the id that the answer had if err is *Replayed and the request
// was carried out.
func replayedID(err error) (*Replayed, string) {
	var before *Replayed
	var a answered
	if !errors.As(err, &before) || before.Status >= 400 || json.Unmarshal(before.Body, &a) != nil {
		return nil, ""
	}
	return before, a.ID
}

// Finish stores the answer, unless the request failed before it changed anything
// or because of the server. What is stored counts as text of the caller, and no answer
// is once the caller has none of that left. While the server has no storage left, only
// a short answer of a request that has written is stored: that request is recorded anyway,
// and the answer says what became of it. A longer one is not, and the request sent again is
// refused with request_running. What has not written is then carried out again.
func (r *Repeat) Finish(ctx context.Context, status int, body []byte) error {
	if r == nil || r.once == nil || status >= 500 || status >= 400 && !r.once.Claimed() || len(body) > maxAnswer {
		return nil
	}
	plain, err := json.Marshal(Answer{status, body})
	if err != nil {
		return err
	}
	sealed := core.Seal(r.secret, r.once.Hash, plain)
	ctx = context.WithoutCancel(ctx)
	if (!r.once.Claimed() || len(sealed) > maxFullAnswer) && r.limits.CheckSpace(ctx) != nil {
		return nil
	}
	if r.limits.general && r.limits.useText(r.by, len(r.once.Hash)+len(r.once.Request)+len(sealed), false) != nil {
		return nil
	}
	return r.limits.Answers.Write(ctx, func(tx *store.Tx) error { return tx.PutAnswer(r.once, sealed) })
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
