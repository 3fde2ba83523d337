// Package demo creates a database with sample data.
package demo

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hearth/app/list"
	"hearth/store"
)

// texts has the people and the content of the sample data.
//
//go:embed *.txt
var texts embed.FS

// Info describes what Seed created.
type Info struct {
	People                                []Person // the first is an administrator
	Agents                                []Agent  // that receive requests
	Conversations, Messages, Lists, Items int
}

// Person is a person of the sample data.
type Person struct{ ID, Name, Email string }

// Seed creates a database at path with a community that has used it for some
// weeks until now. The rows, including ids and times, are determined by seed and
// now. A file that has accounts is an error.
func Seed(ctx context.Context, path, schema string, seed uint64, now time.Time) (info Info, err error) {
	script, err := readScript()
	if err != nil {
		return info, err
	}
	clock := store.NewManualClock(now.Add(-age))
	db, err := store.Open(ctx, path, store.Options{Schema: schema, Now: clock.Now})
	if err != nil {
		return info, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var there []store.User
	if err := db.Read(ctx, func(r *store.Reader) (err error) { there, err = r.Users("", 1); return err }); err != nil {
		return info, err
	}
	if len(there) > 0 {
		return info, fmt.Errorf("%s has accounts; name a new file with --db", path)
	}
	s := &seeder{now: now, rnd: rand.New(rand.NewPCG(seed, 0x6865617274680001)), users: map[string]store.User{}, groups: map[string]string{},
		keys: map[string]store.Key{}, intents: map[string]*store.Intent{}, stories: map[string]*store.Story{}, posts: map[string]*store.ContextPost{}}
	s.people(script.people)
	s.avatars(script.people)
	for _, c := range script.conversations {
		s.conversation(c)
	}
	for _, l := range script.lists {
		s.list(l)
	}
	s.administration()
	s.secretaries(script.answers)
	for _, k := range script.keys {
		s.key(k)
	}
	s.relations()
	s.webhook(script.people[0].handle)
	if err := readLines("social.txt", s.social); err != nil {
		return info, err
	}
	if err := readLines("context.txt", s.context); err != nil {
		return info, err
	}
	if err := s.play(ctx, db, clock); err != nil {
		return info, err
	}
	return s.info, nil
}

const (
	age = 70 * 24 * time.Hour // since the first account was created
	day = 24 * time.Hour
)

// seeder collects writes and then runs them in the order of their times.
type seeder struct {
	now   time.Time
	rnd   *rand.Rand
	users map[string]store.User // by handle, once created
	steps []step
	info  Info

	groups  map[string]string        // ids of conversations by title, once created
	keys    map[string]store.Key     // by handle and name, once created
	intents map[string]*store.Intent // by the name in social.txt
	stories map[string]*store.Story
	posts   map[string]*store.ContextPost // by the name in context.txt
}

// step is a write and its time.
type step struct {
	at time.Time
	do func(tx *store.Tx) error
}

func (s *seeder) at(t time.Time, do func(tx *store.Tx) error) { s.steps = append(s.steps, step{t, do}) }

// play runs the steps in the order of their times.
func (s *seeder) play(ctx context.Context, db *store.DB, clock *store.ManualClock) error {
	slices.SortStableFunc(s.steps, func(a, b step) int { return a.at.Compare(b.at) })
	for _, st := range s.steps {
		if st.at.After(s.now) {
			return fmt.Errorf("a step of the demo is %s from now", st.at.Sub(s.now))
		}
		clock.Advance(st.at.Sub(clock.Now()))
		if err := db.Write(ctx, st.do); err != nil {
			return err
		}
	}
	return nil
}

// between returns a random duration of at least a and below b.
func (s *seeder) between(a, b time.Duration) time.Duration {
	return a + time.Duration(s.rnd.Int64N(int64(b-a)))
}

// id returns a version 4 identifier from the seed.
func (s *seeder) id() string {
	a, b := s.rnd.Uint64(), s.rnd.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&(1<<48-1))
}

// timeID returns a version 7 identifier with the time t and random bits from the
// seed.
func (s *seeder) timeID(t store.Time) string {
	b := s.rnd.Uint64()
	return fmt.Sprintf("%s%04x-%012x", store.NewTimeID(t)[:19], 0x8000|b>>48&0x3fff, b&(1<<48-1))
}

// people adds steps that create the accounts, one after the other.
func (s *seeder) people(people []person) {
	at := s.now.Add(-age)
	for i, p := range people {
		at = at.Add(s.between(2*time.Hour, 3*day))
		s.at(at, func(tx *store.Tx) error {
			u := store.User{ID: s.id(), Name: p.name, Email: p.handle + "@hearth.example", VerifiedAt: tx.Now, IsAdmin: i == 0, SignupProvider: "magic-link"}
			if p.bot {
				u.IsBot, u.BotOwnerID, u.VerifiedAt, u.SignupProvider = true, s.users[p.owner].ID, 0, "bot"
				u.Email = u.ID + "@bots.invalid"
			}
			u, err := tx.InsertUser(u)
			if err == nil && p.status+p.emoji != "" {
				u.StatusText, u.StatusEmoji, u.StatusAt = p.status, p.emoji, tx.Now
				u, err = tx.UpdateUser(u)
			}
			s.users[p.handle] = u
			s.info.People = append(s.info.People, Person{u.ID, u.Name, u.Email})
			return err
		})
	}
}

// conversation adds the steps of a conversation: its messages and read marks.
func (s *seeder) conversation(c conversation) {
	var id string
	sent := make([]store.Message, len(c.lines))
	s.at(s.now.Add(-c.lines[0].ago-time.Hour), func(tx *store.Tx) error {
		owner, others := s.users[c.members[0]].ID, []string{}
		for _, m := range c.members[min(1, len(c.members)-1):] {
			others = append(others, s.users[m].ID)
		}
		id = s.timeID(tx.Now)
		if s.info.Conversations++; c.title != "" {
			s.groups[c.title] = id
		}
		err := tx.InsertSeeded(id, c.title, owner, others)
		if name := pictures[c.title]; err == nil && name != "" {
			var url string
			if url, err = s.picture(tx, store.Picture{ConversationID: id}, name); err == nil {
				err = tx.SetGroupAvatar(id, url)
			}
		}
		return err
	})
	read := func(who string) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			_, err := tx.MarkRead(store.Viewer{UserID: s.users[who].ID}, id, 0)
			return err
		}
	}
	var at, sentAt time.Time
	for i, l := range c.lines {
		if l.starts {
			at = s.now.Add(-l.ago)
		}
		at = at.Add(s.between(30*time.Second, 5*time.Minute))
		switch {
		case l.automatic:
			at = sentAt.Add(time.Second)
		case i > 0:
			s.at(at.Add(-5*time.Second), read(l.who))
		}
		sentAt = at
		s.at(at, func(tx *store.Tx) error {
			m := &sent[i]
			*m = store.Message{ID: s.timeID(tx.Now), ConversationID: id, SenderID: s.users[l.who].ID, Content: l.text, Type: "text"}
			if l.replies > 0 {
				m.ReplyToID = sent[i-l.replies].ID
			}
			if m.ViaSecretary = l.automatic; l.automatic {
				m.ID = store.ReplyID(m.ReplyToID, sent[i-1].CreatedAt)
			}
			s.info.Messages++
			if err := s.attach(tx, m, l.files); err != nil {
				return err
			}
			mentions, err := tx.MentionsIn(store.Viewer{UserID: m.SenderID}, id, m.Content)
			if err != nil {
				return err
			}
			m.Mentions = mentions
			if err := tx.Send(m, nil); err != nil {
				return err
			}
			return s.capture(tx, m)
		})
		s.beside(l, at, &sent[i])
		switch {
		case l.edited != "":
			s.at(at.Add(s.between(20*time.Second, 3*time.Minute)), func(tx *store.Tx) error { return tx.EditMessage(&sent[i], l.edited) })
		case l.deleted:
			s.at(at.Add(s.between(20*time.Second, 3*time.Minute)), func(tx *store.Tx) error { return tx.DeleteMessage(&sent[i]) })
		}
		for _, m := range c.members {
			if i == len(c.lines)-1-c.unread[m] {
				s.at(at.Add(10*time.Second), read(m))
			}
		}
	}
}

// list adds the steps of a list. Its items are spread evenly from its creation
// to the last addition.
func (s *seeder) list(l listing) {
	var id string
	begin := s.now.Add(-l.created)
	s.at(begin, func(tx *store.Tx) error {
		row, err := tx.InsertList(store.List{
			ID: s.id(), OwnerID: s.users[l.owner].ID, Title: l.title, Description: l.about, Visibility: l.visibility, Slug: list.Slug(l.title), Checkable: l.checkable,
		})
		id = row.ID
		s.info.Lists++
		for _, who := range l.shared {
			err = cmp.Or(err, tx.PutListMember(id, s.users[who.handle].ID, who.role))
		}
		return err
	})
	pause := (l.created - l.last) / time.Duration(len(l.items))
	for i, item := range l.items {
		s.at(begin.Add(time.Duration(i)*pause+s.between(pause/4, pause)), func(tx *store.Tx) error {
			row := store.Item{ID: s.timeID(tx.Now), ListID: id, Content: item.text, SourceURL: item.link, Metadata: item.details}
			if item.anonymous {
				row.Anonymous, row.SourceNote = true, item.who
			} else {
				row.AuthorID = s.users[item.who].ID
			}
			if item.checked {
				row.Checked, row.CheckedBy = true, s.users[l.owner].ID
			}
			s.info.Items++
			_, _, err := tx.InsertItem(row)
			return err
		})
	}
}
