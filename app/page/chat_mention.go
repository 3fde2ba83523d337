package page

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"hearth/app/chat"
)

type nameView struct {
	Typed string
	URL   string // the person's page; "" if several people have the name
	Me    bool
}

// mentionsOf returns the names in a message, longest first.
func mentionsOf(m chat.Message, me string) (out []nameView) {
	for i, p := range m.Places {
		if p.Start+p.Size > len(m.Content) {
			continue
		}
		typed := m.Content[p.Start : p.Start+p.Size]
		n := slices.IndexFunc(out, func(v nameView) bool { return v.Typed == typed })
		if n < 0 {
			n, out = len(out), append(out, nameView{Typed: typed, URL: Person{ID: p.UserID}.Profile()})
		}
		if i > 0 && m.Places[i-1].Start == p.Start {
			out[n].URL = ""
		}
		out[n].Me = out[n].Me || p.UserID == me
	}
	slices.SortStableFunc(out, func(a, b nameView) int { return cmp.Compare(len(b.Typed), len(a.Typed)) })
	return out
}

// named writes text with emoji, and with mentions as links.
func (w *markup) named(s string) {
	done := 0
	for at := 0; at < len(s); at++ {
		if s[at] != '@' {
			continue
		}
		i := slices.IndexFunc(w.names, func(n nameView) bool { return namedAt(s, at, n.Typed) })
		if i < 0 {
			continue
		}
		w.text(withEmoji(s[done:at]))
		w.name(w.names[i])
		done = at + len(w.names[i].Typed)
		at = done - 1
	}
	w.text(withEmoji(s[done:]))
}

// namedAt reports whether the name at the position is a whole word.
func namedAt(s string, at int, typed string) bool {
	if !strings.HasPrefix(s[at:], typed) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at+len(typed):])
	return !cased(before) && !cased(after)
}

func (w *markup) name(n nameView) {
	class := "mention"
	if n.Me {
		class += " mention-me"
	}
	element, attribute := "span", ""
	if n.URL != "" {
		element, attribute = "a", ` href="`+html.EscapeString(n.URL)+`"`
	}
	w.WriteString("<" + element + ` class="` + class + `"` + attribute + "><bdi>")
	w.text(n.Typed)
	w.WriteString("</bdi></" + element + ">")
}
