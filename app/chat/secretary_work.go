package chat

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hearth/store"
)

// secretaryAge is the age from which a message gets no automatic reply: after a long stop of the server a reply would
// surprise.
const secretaryAge = 10 * time.Minute

// Secretary sends the automatic replies of all accounts. It follows the event log, at the start from ten minutes ago.
// A message gets at most one reply, whose id is derived from it. It is safe for concurrent use.
type Secretary struct {
	db     *store.DB
	log    *slog.Logger
	active atomic.Bool // some account has enabled its secretary
	wake   chan struct{}
	stop   context.CancelFunc
	over   sync.WaitGroup

	working chan struct{} // has a value while done is in use
	done    int64         // events up to here were considered
}

// NewSecretary returns a Secretary that works until Close. Call Notify after each commit.
func NewSecretary(ctx context.Context, db *store.DB, log *slog.Logger) (*Secretary, error) {
	s := &Secretary{db: db, log: log, wake: make(chan struct{}, 1), working: make(chan struct{}, 1)}
	err := db.Read(ctx, func(r *store.Reader) error {
		active, err := r.AnySecretary()
		if s.active.Store(active); err == nil {
			s.done, err = r.EventBefore(db.Now().Add(-secretaryAge))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.over.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.wake:
			}
			s.work(ctx)
		}
	})
	s.Notify(nil)
	return s, nil
}

// Notify makes the secretary read the event log. It never blocks, so that it can be a listener of the store.
func (s *Secretary) Notify([]store.Event) {
	if !s.active.Load() {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Secretary) activate(ctx context.Context) error {
	if s == nil || s.active.Load() {
		return nil
	}
	s.working <- struct{}{}
	defer func() { <-s.working }()
	if s.active.Load() {
		return nil
	}
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		_, s.done, err = r.EventRange()
		return err
	})
	s.active.Store(err == nil)
	return err
}

// Wait returns when every message that was committed before has been considered.
func (s *Secretary) Wait(ctx context.Context) error {
	s.work(ctx)
	return ctx.Err()
}

// Close ends the work.
func (s *Secretary) Close() {
	s.stop()
	s.over.Wait()
}

func (s *Secretary) work(ctx context.Context) {
	if err := s.catchUp(ctx); err != nil && ctx.Err() == nil && !store.Unavailable(err) {
		s.log.Error("automatic replies: a message could not be answered; it is tried again with the next one", "error", err)
	}
}

func (s *Secretary) catchUp(ctx context.Context) error {
	select {
	case s.working <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.working }()
	if !s.active.Load() {
		return nil
	}
	var questions []store.SecretaryQuestion
	var newest int64
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
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
	var rows []store.SecretaryAnswer
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		rows, err = r.SecretaryAnswers(store.Viewer{UserID: q.OwnerID})
		return err
	})
	if err != nil {
		return err
	}
	// The answers are compared outside the write, which checks the conditions again.
	i := pick(q.Content, prepare(rows))
	if i < 0 || rows[i].UpdatedAt > q.CreatedAt {
		return nil
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error { return reply(tx, q, rows[i]) })
	if errors.Is(err, store.ErrNoRow) || errors.Is(err, store.ErrTaken) {
		err = nil // the question, the answer or the permission is gone, or the id of the reply is in use
	}
	return err
}

const (
	maxReplies  = 10
	replyWindow = time.Minute
)

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
	m := store.Message{ConversationID: q.ConversationID, ID: store.ReplyID(q.ID, q.CreatedAt), SenderID: q.OwnerID, Content: a.Answer,
		Type: "text", ViaSecretary: true, ReplyToID: q.ID}
	if _, err := tx.Message(owner, m.ID); !errors.Is(err, store.ErrNoRow) {
		return err
	}
	wait, err := tx.UseQuota("automatic replies:"+q.OwnerID, maxReplies, replyWindow)
	if err != nil || wait > 0 {
		return err
	}
	if m.Mentions, err = tx.MentionsIn(owner, m.ConversationID, m.Content); err != nil {
		return err
	}
	if err := tx.Send(&m, nil); err != nil {
		return err
	}
	return tx.Emit(store.Event{Topic: m.ConversationID, Kind: messageCreated, ObjectID: m.ID, ActorID: q.OwnerID})
}
