package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// reaction is what members added to a line.
type reaction struct {
	emoji string
	who   []string
	href  string // where they filed it, or ""
}

// note is what a member wrote beside a line.
type note struct {
	who, text string
	pinned    bool // for everybody in the conversation
}

// readBeside reads what is beside the last line of a conversation: "+" reactions,
// "-" a private note, "^" a pinned one, "&" a file.
func (t *conversation) readBeside(word, rest string) error {
	if len(t.lines) == 0 {
		return fmt.Errorf("%q is beside no line", word)
	}
	last := &t.lines[len(t.lines)-1]
	if word == "&" {
		last.files = append(last.files, rest)
		return nil
	}
	if word == "+" {
		f := strings.Fields(rest)
		q := reaction{emoji: f[0]}
		for _, who := range f[1:] {
			switch {
			case strings.Contains(who, "://"):
				q.href = who
			case !slices.Contains(t.members, who):
				return fmt.Errorf("%q is not one of %v", who, t.members)
			default:
				q.who = append(q.who, who)
			}
		}
		last.reactions = append(last.reactions, q)
		return nil
	}
	who, text, ok := strings.Cut(rest, ": ")
	if !ok || !slices.Contains(t.members, who) {
		return fmt.Errorf("the author of %q is not one of %v", rest, t.members)
	}
	last.notes = append(last.notes, note{who: who, text: text, pinned: word == "^"})
	return nil
}

// beside adds the steps of what is beside a line that was sent as m.
func (s *seeder) beside(l line, at time.Time, m *store.Message) {
	for _, q := range l.reactions {
		for _, who := range q.who {
			s.at(at.Add(s.between(time.Second, 4*time.Minute)), func(tx *store.Tx) error {
				added := store.Reaction{UserID: s.users[who].ID, Emoji: q.emoji, Href: q.href}
				if q.href != "" {
					added.Kind = "filed"
				}
				_, err := tx.React(m, added)
				return err
			})
		}
	}
	for _, n := range l.notes {
		s.at(at.Add(s.between(time.Minute, 4*time.Minute)), func(tx *store.Tx) error {
			c := core.CaptureOf(n.text)
			if c == nil {
				c = &store.Capture{Kind: "observation", Status: "none"}
			}
			t := store.Thought{ID: s.timeID(tx.Now), UserID: s.users[n.who].ID, Text: n.text, Kind: c.Kind, Status: c.Status, Tags: c.Tags,
				SourceConversationID: m.ConversationID}
			if err := tx.InsertThought(&t); err != nil || !n.pinned {
				return err
			}
			_, err := tx.PinThought(store.Viewer{UserID: t.UserID}, m.ConversationID, t.ID)
			return err
		})
	}
}

// capture adds what the #tags of a line make of it.
func (s *seeder) capture(tx *store.Tx, m *store.Message) error {
	c := core.CaptureOf(m.Content)
	if c != nil {
		c.ID = s.timeID(tx.Now)
	}
	return tx.Capture(m, c)
}
