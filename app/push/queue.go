package push

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/queue"
	"hearth/store"
)

const (
	pushedSetting = "push_event" // up to which event notifications are in the queue
	batch         = 500          // events that are read at once
	storeEvery    = 1000         // events without notifications are read again after a restart, up to so many
)

// Notify has the queue look at new events. It does not block, so that it can be a listener of the store.
func (s *Service) Notify([]store.Event) { s.Wake() }

// fill adds notifications of the events since the last time. The queue alone calls it.
func (s *Service) fill(ctx context.Context) error {
	for {
		var events []store.Event
		var worth bool
		err := s.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
			if events, err = r.EventsAfter(s.done, batch); err == nil && len(events) > 0 {
				worth, err = r.HasPushes(s.done, events[len(events)-1].ID)
			}
			return err
		})
		if err != nil || len(events) == 0 {
			return err
		}
		upTo := events[len(events)-1].ID
		if worth || upTo-s.stored >= storeEvery {
			if err := s.cfg.DB.Write(ctx, func(tx *store.Tx) error {
				return cmp.Or(tx.QueuePushes(s.done, upTo), tx.SetSetting(pushedSetting, strconv.FormatInt(upTo, 10)))
			}); err != nil {
				return err
			}
			s.stored = upTo
		}
		s.done = upTo
	}
}

// attempt decides at the moment of sending what a receiver may see. What the server's stop ended is not recorded.
func (s *Service) attempt(ctx context.Context, q store.Queue) error {
	var p store.Push
	var n Notification
	var wait time.Duration
	err := s.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		if p, err = r.NextPush(q.ReceiverID); err != nil {
			return err
		}
		if !s.IsDue(p.RetryAt, r.Now()) {
			return store.ErrNoRow
		}
		n, wait, err = s.render(r, p)
		return err
	})
	if err != nil {
		return err
	}
	settle := func(tx *store.Tx) error { return tx.EndPush(p) }
	switch {
	case wait > 0:
		settle = func(tx *store.Tx) error { return tx.PutOffPush(p, tx.Reader.Now().Add(wait)) }
	case n.Title != "":
		res := s.send(ctx, p.To, n)
		if ctx.Err() != nil {
			return nil
		}
		settle = func(tx *store.Tx) error { return s.settle(tx, p, res) }
	}
	return s.cfg.DB.Write(context.Background(), settle)
}

// settle records what came of an attempt. What the push service refuses for good is given up.
func (s *Service) settle(tx *store.Tx, p store.Push, r queue.Result) error {
	if err := record(tx, p.To, r); err != nil || ended(r) {
		return err
	}
	p.Attempts++
	refused := r.Status >= 400 && r.Status < 500 && r.Status != http.StatusTooManyRequests
	if next := s.Next(r, p.Attempts, p.At); !r.OK() && !refused && next != 0 {
		return tx.PutOffPush(p, next)
	}
	return tx.EndPush(p)
}

// render returns a notification as its receiver may see it now: one without a title if there is nothing to be told. In
// quiet hours it returns how long to wait.
func (s *Service) render(r *store.Reader, p store.Push) (n Notification, wait time.Duration, err error) {
	by := store.Viewer{UserID: p.To.UserID}
	if !p.Active || s.isInView(by.UserID) {
		return n, 0, nil
	}
	n, hidden, err := content(r, by, p)
	if errors.Is(err, store.ErrNoRow) {
		return Notification{}, 0, nil
	}
	if err != nil || n.Title == "" {
		return n, 0, err
	}
	how, err := r.PushPreference(by)
	if err != nil {
		return n, 0, err
	}
	if how.HideContent {
		n.Title, n.Body = hidden, ""
	}
	n.Tag = p.Tag
	n.Badge, _, err = r.UnreadTotal(by)
	return n, quiet(how, r.Now().Go()), err
}

// content returns what is told of the object of an event, and what is told if that is hidden.
func content(r *store.Reader, by store.Viewer, p store.Push) (n Notification, hidden string, err error) {
	switch p.Kind {
	case "message.created":
		n, err = ofMessage(r, by, p.ObjectID)
		return n, "New message", err
	case "match.updated":
		m, err := store.First(r.MatchesByID(by, p.ObjectID))
		if err == nil && m.State == "open" {
			n = Notification{Title: "You were matched", Body: "Somebody offers: " + m.OtherTerms, URL: "/inbox"}
			if m.OtherKind == "ask" {
				n.Body = "Somebody asks: " + m.OtherTerms
			}
		}
		return n, "New match", err
	case "story.updated":
		story, err := r.FeedStory(by, p.ObjectID)
		return Notification{Title: story.OwnerName + " shared a Story", Body: core.FirstRunes(story.Text, 100), URL: "/stories"}, "New Story", err
	case "friend.updated":
		f, err := r.Friend(by, p.ObjectID)
		if err != nil || f.State != "incoming" {
			return n, "", err
		}
		from, err := r.Sender(p.ObjectID)
		return Notification{Title: from.Name + " wants to be friends", URL: "/people"}, "New friend request", err
	}
	l, err := r.List(by, p.Tag)
	if err != nil {
		return n, "", err
	}
	i, err := r.HeldItem(by, l.ID, p.ObjectID)
	return Notification{Title: "For your approval: " + l.Title, Body: core.FirstRunes(i.Content, 100), URL: "/list/" + l.ID + "/queue"},
		"New item for your approval", err
}

func ofMessage(r *store.Reader, by store.Viewer, id string) (n Notification, err error) {
	m, err := r.PushedMessage(by, id)
	if err != nil {
		return n, err
	}
	from, err := r.Sender(m.SenderID)
	if err != nil {
		return n, err
	}
	c, err := r.Conversation(by, m.ConversationID)
	n = Notification{Title: from.Name, Body: (&chat.Message{Content: m.Content, FilesJSON: m.Attachments}).Preview(),
		URL: "/chat/" + c.ID + "?at=" + m.ID + "#m-" + m.ID}
	if c.Type == "group" {
		n.Title = cmp.Or(c.Title, "Group")
		n.Body = from.Name + ": " + n.Body
	}
	return n, err
}
