package chat

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hearth/app/match"
	"hearth/store"
)

const (
	// secretaryAge is the age from which a message gets no automatic reply: after a long stop of the server a reply
	// would surprise.
	secretaryAge = 10 * time.Minute
	maxReplies   = 10
	replyWindow  = time.Minute
	// margin is the least difference to the next best answer with another text.
	margin = 0.06
)

// Secretary sends the automatic replies of all accounts. It follows the event log, at the start from ten minutes ago.
// A message gets at most one reply, whose id is derived from it. It is safe for concurrent use.
type Secretary struct {
	db      *store.DB
	log     *slog.Logger
	enabled atomic.Bool // some account has enabled its secretary
	wake    chan struct{}
	stop    context.CancelFunc
	over    sync.WaitGroup

	working sync.Mutex
	done    int64 // events up to here were considered; 0 before the first
}

// NewSecretary returns a Secretary that works until Close. Call Notify after each commit.
func NewSecretary(ctx context.Context, db *store.DB, log *slog.Logger) (*Secretary, error) {
	s := &Secretary{db: db, log: log, wake: make(chan struct{}, 1)}
	enabled, err := store.Get(ctx, db, (*store.Reader).AnySecretary)
	if err != nil {
		return nil, err
	}
	s.enabled.Store(enabled)
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.over.Go(func() {
		for ctx.Err() == nil {
			s.Wait(ctx)
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
		}
	})
	return s, nil
}

// Notify makes the secretary read the event log. It never blocks, so that it can be a listener of the store.
func (s *Secretary) Notify([]store.Event) {
	if s.enabled.Load() {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// Wait returns when every message that was committed before has been considered.
func (s *Secretary) Wait(ctx context.Context) error {
	if err := s.catchUp(ctx); err != nil && ctx.Err() == nil && !store.Unavailable(err) {
		s.log.Error("automatic replies: a message could not be answered; it is tried again with the next one", "error", err)
	}
	return ctx.Err()
}

// Close ends the work.
func (s *Secretary) Close() {
	s.stop()
	s.over.Wait()
}

func (s *Secretary) catchUp(ctx context.Context) error {
	s.working.Lock()
	defer s.working.Unlock()
	if !s.enabled.Load() {
		return nil
	}
	var questions []store.SecretaryQuestion
	var newest int64
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		if s.done == 0 {
			if s.done, err = r.EventBefore(r.Now().Add(-secretaryAge)); err != nil {
				return err
			}
		}
		if _, newest, err = r.EventRange(); err == nil {
			questions, err = r.SecretaryQuestions(s.done, newest)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, q := range questions {
		if err := s.consider(ctx, q); err != nil {
			return err
		}
	}
	s.done = newest
	return nil
}

func (s *Secretary) consider(ctx context.Context, q store.SecretaryQuestion) error {
	if s.db.Now().Sub(q.CreatedAt) > secretaryAge {
		return nil
	}
	rows, err := store.Get(ctx, s.db, func(r *store.Reader) ([]store.SecretaryAnswer, error) {
		return r.SecretaryAnswers(store.Viewer{UserID: q.OwnerID})
	})
	if err != nil {
		return err
	}
	// The answers are compared outside the write, which checks the conditions again.
	i := pick(q.Content, rows)
	if i < 0 || rows[i].UpdatedAt > q.CreatedAt {
		return nil
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error { return reply(tx, q, rows[i]) })
	if errors.Is(err, store.ErrNoRow) || errors.Is(err, store.ErrTaken) {
		err = nil // the question, the answer or the permission is gone, or the id of the reply is in use
	}
	return err
}

// pick returns the index of the answer to a message, or -1. In a message of several sentences, one of them may be the
// question.
func pick(message string, answers []store.SecretaryAnswer) int {
	scores, best := make([]float64, len(answers)), -1
	sentences := match.Sentences(message)
	for i, a := range answers {
		question := match.Prepare(a.Question)
		for _, t := range sentences {
			scores[i] = max(scores[i], t.Similarity(question))
		}
		if scores[i] >= match.Sure && (best < 0 || scores[i] > scores[best]) {
			best = i
		}
	}
	for i, a := range answers {
		if best >= 0 && a.Answer != answers[best].Answer && scores[i] > scores[best]-margin {
			return -1
		}
	}
	return best
}

// reply returns ErrNoRow if the question or the answer has changed. It returns ErrTaken if another message has the id
// of the reply.
func reply(tx *store.Tx, q store.SecretaryQuestion, a store.SecretaryAnswer) error {
	owner := store.Viewer{UserID: q.OwnerID}
	now, err := tx.SecretaryQuestion(q.ID)
	if err != nil {
		return err
	}
	stored, err := tx.SecretaryAnswer(owner, a.ID)
	if err != nil {
		return err
	}
	if stored != a || now.Content != q.Content {
		return store.ErrNoRow
	}
	m := writtenBy(owner, q.ConversationID, a.Answer)
	m.ID, m.ViaSecretary, m.ReplyToID = store.ReplyID(q.ID, q.CreatedAt), true, q.ID
	if _, err := tx.Message(owner, m.ID); !errors.Is(err, store.ErrNoRow) {
		return err
	}
	wait, err := tx.UseQuota("automatic replies:"+q.OwnerID, maxReplies, replyWindow)
	if err != nil || wait > 0 {
		return err
	}
	return send(tx, owner, &m, nil)
}
