package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// conversation reads conversations.txt.
type conversation struct {
	*seeder
	n       int
	name    string // under which it is kept
	path    string
	title   string // "" for a direct conversation
	members []string
	at      time.Time // of the last line
	lines   []*line
}

// line is a message.
type line struct {
	at    time.Time
	name  string // under which it is kept
	who   string
	body  map[string]any
	files []string
}

func (c *conversation) read(l string) error {
	word, rest, _ := strings.Cut(l, " ")
	switch word {
	case "==":
		c.start(fields(rest, 3))
	case "@":
		ago, err := parseAgo(rest)
		if c.at = c.now.Add(-ago); len(c.lines) == 0 {
			c.create()
		}
		return err
	case "read":
		c.readUnread(rest)
	case "~", "x":
		return c.readChanged(word, rest)
	case "*":
		c.readAutomatic()
	case "+", "-", "^", "&":
		c.readBeside(c.lines[len(c.lines)-1], word, rest)
	default:
		return c.readLine(l)
	}
	return nil
}

func (c *conversation) start(f []string) {
	name, members := f[0], f[2]
	if name == "direct" {
		name, f[1], members = fmt.Sprintf("direct%d", c.n), "", f[1]
	}
	*c = conversation{seeder: c.seeder, n: c.n + 1, name: name, path: "/api/chat/conversations/$" + name, title: f[1],
		members: strings.Split(members, ", ")}
}

// create adds the step that creates the conversation, an hour before its first line.
func (c *conversation) create() {
	var others []string
	for _, m := range c.members[min(1, len(c.members)-1):] {
		others = append(others, "$"+m)
	}
	c.info.Conversations++
	c.request(c.at.Add(-time.Hour), c.name, c.members[0], "POST /api/chat/conversations",
		map[string]any{"title": c.title, "participantIds": others})
}

// readLine adds the steps of "who: text". With ">2 " before it, it replies to the line two
// above.
func (c *conversation) readLine(l string) error {
	m := &line{name: fmt.Sprintf("%smessage%d", c.name, len(c.lines)), body: map[string]any{}}
	if back, rest, ok := strings.Cut(l, " "); ok && back[0] == '>' {
		n, err := strconv.Atoi(back[1:])
		if err != nil || n < 1 || n > len(c.lines) {
			return fmt.Errorf("%s has no line to refer to", back)
		}
		m.body["replyToId"], l = "$"+c.lines[len(c.lines)-n].name, rest
	}
	who, text, ok := strings.Cut(l+" ", ": ") // a message can be a file alone
	if !ok || !slices.Contains(c.members, who) {
		return fmt.Errorf("the sender of %q is not one of %v", l, c.members)
	}
	if text = strings.TrimSpace(text); text != "" {
		m.body["content"] = text
	}
	c.at = c.at.Add(c.between(30*time.Second, 5*time.Minute))
	m.at, m.who = c.at, who
	c.lines = append(c.lines, m)
	c.info.Messages++
	path := c.path
	c.seeder.at(m.at, func() (err error) {
		var refs []any
		for _, name := range m.files {
			a, err := c.call(who, "POST /api/chat/attachments", upload(name))
			if err != nil {
				return err
			}
			refs = append(refs, map[string]any{"id": a["id"]})
			m.body["attachments"] = refs
		}
		c.kept[m.name], err = c.call(who, "POST "+path+"/messages", m.body)
		return err
	})
	return nil
}

// readChanged adds the steps of a line that is edited, "~ who: first => edited", or
// deleted, "x who: text".
func (c *conversation) readChanged(word, l string) error {
	text, edited, _ := strings.Cut(l, " => ")
	if err := c.readLine(text); err != nil {
		return err
	}
	m, method, body := c.lines[len(c.lines)-1], "PATCH", any(map[string]string{"content": edited})
	if word == "x" {
		method, body = "DELETE", nil
	}
	c.request(m.at.Add(c.between(20*time.Second, 3*time.Minute)), "", m.who, method+" /api/chat/messages/$"+m.name, body)
	return nil
}

// readAutomatic adds the step that waits for the automatic reply to the last line.
func (c *conversation) readAutomatic() {
	asked := c.lines[len(c.lines)-1]
	c.lines = append(c.lines, &line{at: asked.at.Add(time.Second), name: asked.name + "reply"})
	c.info.Messages++
	c.seeder.at(asked.at, func() error { return c.app.Settle(c.ctx) })
}

// readBeside adds the steps of what is beside a line: "+" reactions, "-" a private note,
// "^" a pinned one, "&" a file.
func (c *conversation) readBeside(m *line, word, rest string) {
	switch word {
	case "&":
		m.files = append(m.files, rest)
		return
	case "+":
		f := strings.Fields(rest)
		body := map[string]string{"emoji": f[0]}
		if href := f[len(f)-1]; strings.Contains(href, "://") {
			body["kind"], body["href"], f = "filed", href, f[:len(f)-1]
		}
		for _, who := range f[1:] {
			c.request(m.at.Add(c.between(time.Second, 4*time.Minute)), "", who, "POST /api/chat/messages/$"+m.name+"/reactions", body)
		}
		return
	}
	who, text, _ := strings.Cut(rest, ": ")
	at, note := m.at.Add(c.between(time.Minute, 4*time.Minute)), m.name+"note"
	c.request(at, note, who, "POST /api/thoughts", map[string]string{"text": text, "sourceConversationId": "$" + c.name})
	if word == "^" {
		c.request(at, "", who, "POST /api/thoughts/$"+note+"/pin", map[string]string{"conversationId": "$" + c.name})
	}
}

// readUnread reads how many of the last messages members have not read. All members read
// up to there.
func (c *conversation) readUnread(s string) {
	unread := map[string]int{}
	for part := range strings.SplitSeq(s, ", ") {
		who, n, _ := strings.Cut(part, " ")
		unread[who], _ = strconv.Atoi(n)
	}
	for _, m := range c.members {
		if i := len(c.lines) - 1 - unread[m]; i >= 0 {
			c.request(c.lines[i].at.Add(10*time.Second), "", m, "PATCH "+c.path+"/read", "{}")
		}
	}
}
