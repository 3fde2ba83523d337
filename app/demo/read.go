package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// script is the parsed content of the text files, which describe their format.
type script struct {
	people        []person
	conversations []conversation
	lists         []listing
	answers       []answer
	keys          []key
}

type person struct {
	handle, name, emoji, status string
	bot                         bool
	owner                       string // of a bot
}

// answer is an answer for automatic replies.
type answer struct{ who, question, text string }

// key is an agent key, with what it was used for.
type key struct {
	who, name, agent string
	uses             []use
}

type use struct {
	operation string
	failed    bool
	times     int
	ago       time.Duration
}

type conversation struct {
	title   string         // "" for a direct conversation
	members []string       // handles, the owner first
	lines   []line         // at least one
	unread  map[string]int // unread messages at the end, by handle

	pause *time.Duration // before the next line
}

type line struct {
	who, text string
	edited    string // text after an edit, or ""
	deleted   bool   // deleted
	automatic bool   // an automatic reply to the line above
	replies   int    // how many lines above is the message it replies to; 0 if none
	reactions []reaction
	notes     []note
	files     []string
	starts    bool          // after a pause
	ago       time.Duration // before now, with starts
}

type listing struct {
	visibility, title, owner, about string
	shared                          []share
	created, last                   time.Duration // before now
	items                           []item        // at least one
	checkable                       bool
}

type share struct{ handle, role string }

type item struct {
	who, text, link, details string
	anonymous                bool // an agent without an account, with who as the reporter
	checked                  bool // by the owner of the list
}

func readScript() (s script, err error) {
	known := func(handle string) bool {
		return slices.ContainsFunc(s.people, func(p person) bool { return p.handle == handle })
	}
	for _, file := range []struct {
		name string
		line func(string) error
	}{
		{"people.txt", s.readPerson},
		{"conversations.txt", func(l string) error { return s.readConversation(l, known) }},
		{"lists.txt", func(l string) error { return s.readList(l, known) }},
		{"secretary.txt", func(l string) error { return s.readAnswer(l, known) }},
		{"keys.txt", func(l string) error { return s.readKey(l, known) }},
	} {
		if err := readLines(file.name, file.line); err != nil {
			return s, err
		}
	}
	return s, nil
}

// readLines calls read with the lines of a file, without comments.
func readLines(name string, read func(string) error) error {
	text, err := texts.ReadFile(name)
	if err != nil {
		return err
	}
	for i, l := range strings.Split(string(text), "\n") {
		if l = strings.TrimSpace(l); l == "" || l[0] == '#' {
			continue
		}
		if err := read(l); err != nil {
			return fmt.Errorf("demo/%s:%d: %w", name, i+1, err)
		}
	}
	return nil
}

func (p *script) readPerson(l string) error {
	f := fields(l, 4)
	handle, owner, bot := strings.Cut(f[0], "*")
	p.people = append(p.people, person{handle: handle, bot: bot, owner: owner, name: f[1], emoji: f[2], status: f[3]})
	return nil
}

func (p *script) readConversation(l string, known func(string) bool) error {
	word, rest, _ := strings.Cut(l, " ")
	if word == "==" {
		return p.startConversation(fields(rest, 3), known)
	}
	if len(p.conversations) == 0 {
		return fmt.Errorf("a line before the first conversation")
	}
	t := &p.conversations[len(p.conversations)-1]
	line := line{}
	switch {
	case word == "@":
		ago, err := parseAgo(rest)
		t.pause = &ago
		return err
	case word == "read":
		return t.readUnread(rest)
	case word == "+" || word == "-" || word == "^" || word == "&":
		return t.readBeside(word, rest)
	case word == "~" || word == "x":
		line.deleted = word == "x"
		l = rest
	case word == "*":
		line.automatic, line.replies, l = true, 1, rest
	case word[0] == '>':
		n, err := strconv.Atoi(word[1:])
		if err != nil || n < 1 || n > len(t.lines) {
			return fmt.Errorf("%s has no line to refer to", word)
		}
		line.replies, l = n, rest
	}
	who, words, ok := strings.Cut(l+" ", ": ") // a message can be a file alone
	if words = strings.TrimSpace(words); !ok || !slices.Contains(t.members, who) {
		return fmt.Errorf("the sender of %q is not one of %v", l, t.members)
	}
	line.who, line.text = who, words
	if word == "~" {
		line.text, line.edited, _ = strings.Cut(words, " => ")
	}
	if t.pause != nil {
		line.starts, line.ago, t.pause = true, *t.pause, nil
	}
	t.lines = append(t.lines, line)
	return nil
}

func (p *script) readAnswer(l string, known func(string) bool) error {
	f := fields(l, 3)
	if !known(f[0]) {
		return fmt.Errorf("unknown handle %q", f[0])
	}
	p.answers = append(p.answers, answer{f[0], f[1], f[2]})
	return nil
}

func (p *script) readKey(l string, known func(string) bool) error {
	f := fields(l, 4)
	if f[0] != "." && f[0] != "!" {
		if !known(f[0]) {
			return fmt.Errorf("unknown handle %q", f[0])
		}
		p.keys = append(p.keys, key{who: f[0], name: f[1], agent: f[2]})
		return nil
	}
	if len(p.keys) == 0 {
		return fmt.Errorf("a line before the first key")
	}
	times, err := strconv.Atoi(f[2])
	if err != nil {
		return err
	}
	ago, err := parseAgo(f[3])
	k := &p.keys[len(p.keys)-1]
	k.uses = append(k.uses, use{f[1], f[0] == "!", times, ago})
	return err
}

func (p *script) startConversation(f []string, known func(string) bool) error {
	t := conversation{title: f[1], unread: map[string]int{}}
	members := f[2]
	if f[0] == "direct" {
		t.title, members = "", f[1]
	}
	for m := range strings.SplitSeq(members, ", ") {
		if !known(m) {
			return fmt.Errorf("unknown handle %q", m)
		}
		t.members = append(t.members, m)
	}
	p.conversations = append(p.conversations, t)
	return nil
}

func (t *conversation) readUnread(s string) (err error) {
	for part := range strings.SplitSeq(s, ", ") {
		who, n, _ := strings.Cut(part, " ")
		if t.unread[who], err = strconv.Atoi(n); err != nil || !slices.Contains(t.members, who) {
			return fmt.Errorf("%q is not a member and a number", part)
		}
	}
	return nil
}

func (p *script) readList(l string, known func(string) bool) (err error) {
	word, rest, _ := strings.Cut(l, " ")
	if word == "==" {
		return p.startList(fields(rest, 4), known)
	}
	if len(p.lists) == 0 {
		return fmt.Errorf("a line before the first list")
	}
	list := &p.lists[len(p.lists)-1]
	switch word {
	case "about":
		list.about = rest
		return nil
	case "@":
		created, last, _ := strings.Cut(rest, " ")
		if list.created, err = parseAgo(created); err == nil {
			list.last, err = parseAgo(last)
		}
		return err
	}
	who, rest, ok := strings.Cut(l, ": ")
	f := fields(rest, 3)
	item := item{who: who, text: f[0], link: f[1], details: f[2]}
	item.who, item.anonymous = strings.CutPrefix(who, "anon ")
	if !ok || !item.anonymous && !known(who) {
		return fmt.Errorf("unknown handle in %q", l)
	}
	if text, ok := strings.CutPrefix(item.text, "[ ] "); ok {
		item.text, list.checkable = text, true
	} else if text, ok := strings.CutPrefix(item.text, "[x] "); ok {
		item.text, item.checked, list.checkable = text, true, true
	}
	if item.details != "" {
		v := jsontext.Value(item.details)
		if err := v.Compact(); err != nil {
			return err
		}
		item.details = string(v)
	}
	list.items = append(list.items, item)
	return nil
}

func (p *script) startList(f []string, known func(string) bool) error {
	l := listing{visibility: f[0], title: f[1], owner: f[2]}
	if !known(l.owner) {
		return fmt.Errorf("unknown handle %q", l.owner)
	}
	for s := range strings.SplitSeq(f[3], ", ") {
		handle, role, ok := strings.Cut(s, " ")
		if s != "" && (!ok || !known(handle)) {
			return fmt.Errorf("%q is not a handle and a role", s)
		}
		if ok {
			l.shared = append(l.shared, share{handle, role})
		}
	}
	p.lists = append(p.lists, l)
	return nil
}

// fields returns the n parts of s between bars. Missing ones are empty.
func fields(s string, n int) []string {
	out := make([]string, n)
	for i, f := range strings.SplitN(s, "|", n) {
		out[i] = strings.TrimSpace(f)
	}
	return out
}

// parseAgo parses a duration such as 13d6h.
func parseAgo(s string) (ago time.Duration, err error) {
	if days, rest, ok := strings.Cut(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration such as 13d6h", s)
		}
		ago, s = time.Duration(n)*day, rest
	}
	if s != "" {
		var d time.Duration
		d, err = time.ParseDuration(s)
		ago += d
	}
	return ago, err
}
