package chat

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"hearth/store"
)

const (
	// secretaryAge is the age from which a message is not answered any more:
	// after a long stop of the server an automatic reply would surprise.
	secretaryAge = 10 * time.Minute
	// secretaryChunk is how many events are searched for questions in one read.
	secretaryChunk = 500
	// maxPrepared bounds the accounts whose answers are kept prepared.
	maxPrepared = 200
	// secretaryPosition is the setting with the event up to which messages were
	// considered.
	secretaryPosition = "secretary_position"
)

// Secretary sends the automatic replies of all accounts. It follows the event
// log, so that no message is forgotten at a restart. At most one reply is sent to
// a message: its id follows from the message. It is safe for concurrent use.
type Secretary struct {
	db   *store.DB
	log  *slog.Logger
	wake chan struct{}
	stop context.CancelFunc
	over sync.WaitGroup

	preparing sync.Mutex
	prepared  map[string]preparedAnswers // by account

	mu     sync.Mutex
	moved  *sync.Cond // done, failed or closed changed
	active bool       // some account has enabled its secretary
	done   int64      // events up to here were considered
	saved  int64      // the position in the database
	failed bool       // the last try, which is made again with the next event
	closed bool
}

// preparedAnswers are the answers of an account, prepared when they had this
// version.
type preparedAnswers struct {
	version string
	answers []prepared
}

// NewSecretary returns a Secretary that works until Close. Call Notify after each
// commit.
func NewSecretary(ctx context.Context, db *store.DB, log *slog.Logger) (*Secretary, error) {
	s := &Secretary{db: db, log: log, wake: make(chan struct{}, 1), prepared: map[string]preparedAnswers{}}
	s.moved = sync.NewCond(&s.mu)
	err := db.Read(ctx, func(r *store.Reader) error {
		position, err := r.Setting(secretaryPosition)
		if err != nil {
			return err
		}
		if s.active, err = r.AnySecretary(); err != nil {
			return err
		}
		if s.done, err = strconv.ParseInt(position, 10, 64); err != nil || !s.active {
			_, s.done, err = r.EventRange()
		}
		s.saved = s.done
		return err
	})
	if err != nil {
		return nil, err
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.over.Go(func() { s.run(ctx) })
	s.Notify(nil)
	return s, nil
}

// Notify makes the secretary read the event log now. It never blocks, so that it
// can be one of the store's listeners after a commit.
func (s *Secretary) Notify([]store.Event) {
	s.mu.Lock()
	active := s.active
	s.mu.Unlock()
	if !active {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// activate makes the secretary follow the event log, which costs nothing while
// no account has enabled its own. Earlier messages are not answered.
func (s *Secretary) activate(ctx context.Context) error {
	if s == nil {
		return nil
	}
	var newest int64
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		_, newest, err = r.EventRange()
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && !s.active {
		s.active, s.done = true, max(s.done, newest)
	}
	return err
}

// Wait waits until every message that was committed before has been considered,
// or ctx ends. It does not wait for what failed.
func (s *Secretary) Wait(ctx context.Context) error {
	var newest int64
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		_, newest, err = r.EventRange()
		return err
	})
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, s.moved.Broadcast)()
	s.Notify(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.active && s.done < newest && !s.failed && !s.closed && ctx.Err() == nil {
		s.moved.Wait()
	}
	return ctx.Err()
}

// Close ends the work and stores up to where the log was read.
func (s *Secretary) Close(ctx context.Context) error {
	s.stop()
	s.over.Wait()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.moved.Broadcast()
	return s.Save(ctx)
}

// Save stores up to where the log was read, if that changed.
func (s *Secretary) Save(ctx context.Context) error {
	s.mu.Lock()
	done, saved, active := s.done, s.saved, s.active
	s.mu.Unlock()
	if !active || done == saved {
		return nil
	}
	err := s.db.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(secretaryPosition, strconv.FormatInt(done, 10)) })
	if err == nil {
		s.mu.Lock()
		s.saved = done
		s.mu.Unlock()
	}
	return err
}

func (s *Secretary) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		err := s.catchUp(ctx)
		if err != nil && ctx.Err() == nil && !store.Unavailable(err) {
			s.log.Error("automatic replies: a message could not be answered; it is tried again with the next one", "error", err)
		}
		s.mu.Lock()
		s.failed = err != nil
		s.mu.Unlock()
		s.moved.Broadcast()
	}
}

// catchUp considers all messages up to the end of the event log, or until ctx ends.
func (s *Secretary) catchUp(ctx context.Context) error {
	for ctx.Err() == nil {
		s.mu.Lock()
		after := s.done
		s.mu.Unlock()
		var questions []store.SecretaryQuestion
		var upTo, newest int64
		err := s.db.Read(ctx, func(r *store.Reader) (err error) {
			var oldest int64
			if oldest, newest, err = r.EventRange(); err != nil {
				return err
			}
			if after, err = r.PastGap(max(after, oldest-1)); err != nil {
				return err
			}
			upTo = min(newest, after+secretaryChunk)
			questions, err = r.SecretaryQuestions(after, upTo)
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
		s.mu.Lock()
		s.done = max(s.done, upTo)
		s.failed = false
		s.mu.Unlock()
		s.moved.Broadcast()
		if upTo >= newest {
			return nil
		}
	}
	return ctx.Err()
}

// consider sends the answer to a message, if there is one.
func (s *Secretary) consider(ctx context.Context, q store.SecretaryQuestion) error {
	if s.db.Now().Sub(q.CreatedAt) > secretaryAge {
		return nil
	}
	answers, err := s.answers(ctx, q.OwnerID)
	if err != nil {
		return err
	}
	// The answers are compared outside the write, which checks again what this
	// depends on.
	i := pick(q.Content, answers)
	if i < 0 || answers[i].UpdatedAt > q.CreatedAt {
		return nil
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error { return reply(tx, q, answers[i].SecretaryAnswer) })
	if errors.Is(err, store.ErrNoRow) || errors.Is(err, store.ErrTaken) {
		err = nil // the question, the answer or the permission is gone, or the id of the reply is in use
	}
	return err
}

// answers returns the answers of an account, prepared.
func (s *Secretary) answers(ctx context.Context, userID string) ([]prepared, error) {
	var rows []store.SecretaryAnswer
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		rows, err = r.SecretaryAnswers(store.Viewer{UserID: userID})
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.prepare(userID, rows), nil
}

// prepare returns the answers of an account, prepared. They are kept until they change.
func (s *Secretary) prepare(userID string, rows []store.SecretaryAnswer) []prepared {
	if s == nil {
		return prepare(rows)
	}
	version := ""
	for _, a := range rows {
		version += a.ID + strconv.FormatInt(int64(a.UpdatedAt), 36)
	}
	s.preparing.Lock()
	kept, ok := s.prepared[userID]
	s.preparing.Unlock()
	if ok && kept.version == version {
		return kept.answers
	}
	kept = preparedAnswers{version, prepare(rows)}
	s.preparing.Lock()
	defer s.preparing.Unlock()
	if len(s.prepared) >= maxPrepared {
		clear(s.prepared)
	}
	s.prepared[userID] = kept
	return kept.answers
}

// Automatic replies of one account.
const (
	maxReplies  = 10
	replyWindow = time.Minute
)

// reply sends an answer as the reply to a question, if both are still as they
// were. It returns ErrNoRow if they are not, and ErrTaken if another message has the
// id of the reply. Nothing is sent if there is a reply, or the owner has sent too many.
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
