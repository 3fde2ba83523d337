package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

const maxChanges = 100

type changeView struct {
	At   store.Time
	Text string

	joined []string // names of joined people, in lines that can be merged
}

// changesOf reads the changes of a group between the neighbours of a page. A page at either end includes all
// changes beyond it.
func (s *site) changesOf(v *visit, c chat.Conversation, page chat.MessagesAroundOut) []changeView {
	if c.Type != "group" {
		return nil
	}
	in := chat.ListChangesIn{ConversationID: c.ID, Limit: maxChanges}
	if n := len(page.Messages); n > 0 {
		if page.HasMore {
			in.After = cmp.Or(v.moment("after"), &page.Messages[0].CreatedAt)
		}
		if page.HasNewer {
			in.Before = cmp.Or(v.moment("before"), &page.Messages[n-1].CreatedAt)
		}
	}
	out := get(v, s.Chat.ListChanges, in)
	return core.Map(out.Changes, func(ch chat.Change) changeView { return changeOf(ch, v.by.UserID) })
}

func changeOf(c chat.Change, me string) changeView {
	name := func(n chat.Named) string {
		if n.ID == me {
			return "You"
		}
		return n.Name
	}
	who, by := name(c.User), "Somebody"
	if c.Actor != nil {
		by = name(*c.Actor)
	}
	view := changeView{At: c.At}
	switch c.Kind {
	case "joined":
		view.Text, view.joined = who+" joined", []string{who}
	case "added":
		view.Text = fmt.Sprintf("%s added %s", by, strings.Replace(who, "You", "you", 1))
	case "left":
		view.Text = who + " left"
	case "removed":
		view.Text = fmt.Sprintf("%s removed %s", by, strings.Replace(who, "You", "you", 1))
	case "renamed":
		view.Text = who + " removed the name of the group"
		if c.Title != nil {
			view.Text = fmt.Sprintf("%s named the group “%s”", who, *c.Title)
		}
	}
	return view
}

// withChanges merges changes into the messages by time. People who joined on one day, without a message
// between them, share a line.
func withChanges(messages []messageView, changes []changeView) []messageView {
	out := make([]messageView, 0, len(messages)+len(changes))
	for _, m := range messages {
		for len(changes) > 0 && changes[0].At < m.CreatedAt {
			out, changes = appendChange(out, changes[0]), changes[1:]
			m.Run = false
		}
		out = append(out, m)
	}
	for _, c := range changes {
		out = appendChange(out, c)
	}
	for i := range out {
		out[i].NewDay = i == 0 || day(out[i-1].CreatedAt) != day(out[i].CreatedAt)
	}
	return out
}

func eachChange(changes []changeView) []messageView {
	return core.Map(changes, func(c changeView) messageView { return messageView{CreatedAt: c.At, Change: &c} })
}

func appendChange(out []messageView, c changeView) []messageView {
	if n := len(out); n > 0 && out[n-1].Change != nil && c.joined != nil && out[n-1].Change.joined != nil &&
		day(out[n-1].CreatedAt) == day(c.At) {
		last := out[n-1].Change
		last.joined = append(slices.Clone(last.joined), c.joined...)
		last.Text, last.At, out[n-1].CreatedAt = joinedText(last.joined), c.At, c.At
		return out
	}
	return append(out, messageView{CreatedAt: c.At, Change: &c})
}

func joinedText(names []string) string {
	rest := len(names) - 3
	switch {
	case rest > 1:
		return fmt.Sprintf("%s and %d others joined", strings.Join(names[:3], ", "), rest)
	case len(names) == 1:
		return names[0] + " joined"
	}
	return cmp.Or(strings.Join(names[:len(names)-1], ", "), "") + " and " + names[len(names)-1] + " joined"
}
