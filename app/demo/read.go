package demo

import (
	"cmp"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// data has the script, whose files describe their format, and the files that it
// uploads.
//
//go:embed *.txt files
var data embed.FS

// read reads the script.
func (s *seeder) read() error {
	c, l := &conversation{seeder: s}, &list{seeder: s}
	for _, file := range []struct {
		name string
		line func(string) error
	}{{"conversations.txt", c.read}, {"lists.txt", l.read}, {"steps.txt", s.readStep}} {
		text, err := data.ReadFile(file.name)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			if err := file.line(line); err != nil {
				return fmt.Errorf("demo/%s:%d: %w", file.name, i+1, err)
			}
		}
	}
	return nil
}

// readStep adds the steps of a line of steps.txt.
func (s *seeder) readStep(line string) error {
	f := fields(line, 5)
	var body any = f[3]
	if name, ok := strings.CutPrefix(f[3], "&"); ok {
		body = upload(strings.TrimSpace(name))
	}
	for when := range strings.FieldsSeq(f[0]) {
		ago, err := parseAgo(when)
		if err != nil {
			return err
		}
		s.request(s.now.Add(-ago), f[4], f[1], f[2], body)
	}
	return nil
}

// list reads lists.txt.
type list struct {
	*seeder
	n      int
	name   string // under which it is kept
	owner  string
	shared string
	body   map[string]any
	at     time.Time     // before the next item
	pause  time.Duration // between items
}

func (l *list) read(line string) (err error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "==":
		f := fields(rest, 4)
		*l = list{seeder: l.seeder, n: l.n + 1, name: fmt.Sprintf("list%d", l.n), owner: f[2], shared: f[3],
			body: map[string]any{"visibility": f[0], "title": f[1], "checkable": false}}
	case "about":
		l.body["description"] = rest
	case "@":
		created, pause, _ := strings.Cut(rest, " ")
		ago, err := parseAgo(created)
		if err != nil {
			return err
		}
		l.at = l.now.Add(-ago)
		l.create()
		l.pause, err = parseAgo(pause)
		return err
	default:
		return l.readItem(line)
	}
	return nil
}

func (l *list) create() {
	l.info.Lists++
	l.request(l.at, l.name, l.owner, "POST /api/lists", l.body)
	for _, share := range strings.FieldsFunc(l.shared, func(r rune) bool { return r == ',' }) {
		f := strings.Fields(share)
		l.request(l.at, "", l.owner, "PUT /api/lists/$"+l.name+"/members/$"+f[0], map[string]string{"role": f[1]})
	}
}

func (l *list) readItem(line string) error {
	who, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("%q has no author", line)
	}
	f, checked := fields(rest, 3), false
	body := map[string]any{"content": f[0], "link": f[1]}
	if reporter, ok := strings.CutPrefix(who, "anon "); ok {
		who, body["reporter"] = "anon", reporter
	}
	if box, text, ok := strings.Cut(f[0], "] "); ok && box[0] == '[' {
		body["content"], checked, l.body["checkable"] = text, box == "[x", true
	}
	if f[2] != "" {
		body["metadata"] = jsontext.Value(f[2])
	}
	at, path := l.at.Add(l.between(l.pause/4, l.pause)), "/api/lists/$"+l.name+"/items"
	l.request(at, "item", who, "POST "+path, body)
	if checked {
		l.request(at, "", l.owner, "PATCH "+path+"/$item.item", `{"checked": true}`)
	}
	l.at = l.at.Add(l.pause)
	l.info.Items++
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
func parseAgo(s string) (time.Duration, error) {
	days, rest, ok := strings.Cut(s, "d")
	if !ok {
		days, rest = "0", s
	}
	n, err := strconv.Atoi(days)
	d, errRest := time.ParseDuration(cmp.Or(rest, "0"))
	return time.Duration(n)*day + d, cmp.Or(err, errRest)
}
