package app_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// values generates the values of calls from the schemas of the OpenAPI document.
type values struct {
	*rand.Rand
	// ids are the ids of the cast's objects, by their name in the stage.
	ids map[string]string
	// found are ids, and opaque the cursors and versions, that responses contained.
	found, opaque []string
	keys          int // how many idempotency keys were used
}

// twice is a member that occurs two times, raw is JSON as it is sent, valid or not,
// and absent is a member that was removed.
type (
	twice  struct{ first, second any }
	raw    string
	absent struct{}
)

// oddTexts are texts that programs handle wrongly.
var oddTexts = []string{
	"", " ", "\x00", "a\x00b", "\r\nSet-Cookie: x=1", "\x1b[31m", "\x7f", "\u0085", "\u200b", "\u202eabc", "\ufeff", "\ufffd", "\uffff",
	"\U0010ffff",
	"İstanbul ß ſ ŉ", "e\u0301\u0301\u0301", strings.Repeat("\u0301", 500), strings.Repeat("\ufdfa", 80),
	strings.Repeat("👩‍👩‍👧‍👦", 60), strings.Repeat("a", 70_000),
	strings.Repeat("長", 2_001), manyCharacters(1_990), manyCharacters(19_990), strings.Repeat("x ", 10_001), "' OR 1=1 --",
	`"; DROP TABLE user; --`, "%00", "%", "%s%n", "*", "a* NEAR(b", `"`, `\`, "a AND (", "content:x", "-x",
	"<script>alert(1)</script>", "javascript:alert(1)", "{{.}}", "${x}", "../../etc/passwd", "..", ".", "/", "me", "null", "undefined", "NaN",
	"-1", "0", "1e400", "true",
	"http://127.0.0.1:1/", "http://[::1]/", "http://169.254.169.254/latest", "https://user:pass@127.0.0.1/", "https://hearth.test/", "//x",
	"http://\u2488", "mailto:a@b", "file:///etc/passwd",
	"a@b", "@", "a@b@c", "straße@example.org", "ADA@EXAMPLE.ORG", "Ada <ada@example.org>", "a@" + strings.Repeat("x", 300), "#", "# tag",
	"#x00ff00", "🗂️", "👍🏽👍🏽", "@all", "#tag #tag #tag",
	"00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF", "{00000000-0000-4000-8000-000000000000}",
	"urn:uuid:00000000-0000-4000-8000-000000000000",
	"2026-03-14T09:26:53Z", "0000-00-00T00:00:00Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59.9999999Z",
	"9999-12-31T23:59:59-14:00", "2026-02-30T00:00:00Z", "2026-03-14", "24:00",
	"+10000-01-01T00:00:00Z", "2026-03-14t09:26:53.123456789+00:00", "2098-01-01T00:00:00Z",
}

// manyCharacters returns a text of n one-character words.
func manyCharacters(n int) string {
	runes := make([]rune, n)
	for i := range runes {
		runes[i] = rune(0x4e00 + i)
	}
	return string(runes)
}

// oddJSON is JSON that a decoder has to accept or refuse, and not to mistake.
var oddJSON = []raw{
	`null`, `true`, `false`, `0`, `-0`, `-1`, `1`, `0.5`, `1e3`, `1E400`, `-1e400`, `1e-400`, `9223372036854775807`, `9223372036854775808`,
	`-9223372036854775808`, `-9223372036854775809`,
	`18446744073709551616`, `4294967296`, `2147483648`, `01`, `+1`, `.5`, `1.`, `0x10`, `NaN`, `Infinity`, `""`, `" "`, `"\u0000"`, `"\ud800"`,
	`"\udc00\ud800"`, `"\ud83d"`, `"\x"`, `"\u12"`,
	"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\n\"", "\"\x00\"", `'x'`, `[]`, `{}`, `[[]]`, `[null]`, `[{}]`, `[1,"a",null,{}]`,
	`{"":""}`, `{"__proto__":{"x":1}}`, `{"a":1,"a":2}`, `{"\u0061":1,"a":2}`,
	`[,]`, `[1,]`, `{"a":1,}`, `/**/1`, `"`, `[`, `{`, ``, `undefined`,
}

func (g *values) pick(list []string) string { return list[g.IntN(len(list))] }

// chance reports true in n of 100 calls.
func (g *values) chance(n int) bool { return g.IntN(100) < n }

// odd returns a text that programs handle wrongly.
func (g *values) odd() string {
	if g.chance(10) {
		b := make([]byte, g.IntN(40))
		for i := range b {
			b[i] = byte(g.IntN(256))
		}
		return string(b)
	}
	return g.pick(oddTexts)
}

// id returns an id: mostly of an object that exists, whoever it belongs to. Those
// whose name in the stage is in the parameter's are more frequent.
func (g *values) id(name string) string {
	names := slices.Sorted(maps.Keys(g.ids))
	switch n := g.IntN(100); {
	case n < 10 && len(g.found) > 0:
		return g.pick(g.found)
	case n < 15:
		return store.NewID()
	case n < 60:
		near := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !related(strings.ToLower(name), n) })
		if len(near) > 0 {
			return g.ids[g.pick(near)]
		}
	}
	return g.ids[g.pick(names)]
}

// related reports whether an object of the stage may be what a parameter names.
func related(parameter, object string) bool {
	_, object, _ = strings.Cut(object, ":")
	for in, names := range map[string]string{
		"user": "ada ben cleo stranger dora emil fay root", "participant": "ada ben cleo stranger dora emil fay",
		"target": "ada ben message dora", "conversation": "group mine direct",
		"message": "message mymessage", "reply": "message mymessage", "list": "list open mylist", "item": "item held myitem", "key": "key rw",
		"intent": "ask draft", "attach": "attachment", "post": "post second",
	} {
		if strings.Contains(parameter, in) && slices.Contains(strings.Fields(names), object) {
			return true
		}
	}
	return false
}

var phrases = strings.Fields("a bread garden ladder soup #tag bike музыка 音楽 naïve café 42 https://x.example/y :) shelf on " +
	"Monday")

// text returns a text of from..to characters.
func (g *values) text(from, to int) string {
	n := from
	if to > from {
		n += g.IntN(min(to-from, 60) + 1)
	}
	if g.chance(4) {
		n = to // exactly at the limit
	}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(g.pick(phrases) + " ")
	}
	runes := []rune(b.String())
	if len(runes) < n {
		runes = append(runes, []rune(strings.Repeat("x", n-len(runes)))...)
	}
	return string(runes[:n])
}

// of returns a value that fits the schema of the member name.
func (g *values) of(s *openapi3.Schema, name string, depth int) any {
	if s == nil || depth > 6 {
		return nil
	}
	if len(s.AnyOf) > 0 {
		return g.of(s.AnyOf[g.IntN(len(s.AnyOf))].Value, name, depth)
	}
	if len(s.Enum) > 0 {
		return s.Enum[g.IntN(len(s.Enum))]
	}
	kinds := s.Type.Slice()
	if len(kinds) == 0 {
		return map[string]any{"k": g.text(0, 10)}
	}
	switch kinds[g.IntN(len(kinds))] {
	case "string":
		return g.string(s, name)
	case "integer", "number":
		return g.number(s)
	case "boolean":
		return g.chance(50)
	case "array":
		return g.array(s, name, depth)
	case "object":
		return g.object(s, depth)
	}
	return nil
}

func (g *values) string(s *openapi3.Schema, name string) string {
	switch s.Format {
	case "uuid":
		return g.id(name)
	case "date-time":
		return store.Time(1_773_480_413_000_000 + (g.Int64N(400_000)-100_000)*1_000_000_000).String()
	case "uri", "url":
		return "https://x.example/" + fmt.Sprint(g.IntN(100))
	case "email":
		return fmt.Sprintf("someone%d@example.net", g.IntN(100))
	}
	if s.MaxLength == nil {
		if strings.Contains(strings.ToLower(name), "id") {
			return g.id(name)
		}
		return g.text(int(s.MinLength), 30)
	}
	return g.text(int(s.MinLength), int(*s.MaxLength))
}

func (g *values) number(s *openapi3.Schema) any {
	from, to := 0.0, 200.0
	if s.Min != nil {
		from = *s.Min
	}
	if to += from; s.Max != nil {
		to = *s.Max
	}
	return int64(from) + g.Int64N(int64(to-from)+1)
}

func (g *values) array(s *openapi3.Schema, name string, depth int) any {
	n := int(s.MinItems) + g.IntN(3)
	if s.MaxItems != nil {
		if n = min(n, int(*s.MaxItems)); g.chance(5) {
			n = int(*s.MaxItems) + g.IntN(2) // at the limit or beyond it
		}
	}
	list := []any{}
	for range n {
		list = append(list, g.of(s.Items.Value, name, depth+1))
	}
	return list
}

func (g *values) object(s *openapi3.Schema, depth int) any {
	o := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || g.chance(50) {
			o[name] = g.of(s.Properties[name].Value, name, depth+1)
		}
	}
	return o
}

// spoil returns v with one to three of its parts replaced, removed or doubled.
func (g *values) spoil(v any) any {
	for range 1 + g.IntN(3) {
		var spots []func(any)
		var there []any
		walk(v, func(to any) { v = to }, func(is any, set func(any)) { spots, there = append(spots, set), append(there, is) })
		i := g.IntN(len(spots))
		switch g.IntN(8) {
		case 0:
			spots[i](absent{})
		case 1:
			spots[i](twice{there[i], raw(`"again"`)})
		case 2:
			spots[i](g.odd())
		case 3:
			spots[i](g.id(""))
		case 4:
			spots[i](raw(nested(1 + g.IntN(80))))
		default:
			spots[i](oddJSON[g.IntN(len(oddJSON))])
		}
	}
	return v
}

func nested(n int) string { return strings.Repeat(`[{"a":`, n) + "1" + strings.Repeat("}]", n) }

// walk calls f with every value in v, in a fixed order, and what replaces it.
func walk(v any, set func(any), f func(is any, set func(any))) {
	f(v, set)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walk(v[name], func(to any) { v[name] = to }, f)
		}
	case []any:
		for i := range v {
			walk(v[i], func(to any) { v[i] = to }, f)
		}
	}
}

// encoded returns the JSON of v.
func encoded(v any) string {
	var b bytes.Buffer
	encodeTo(&b, v)
	return b.String()
}

func encodeTo(b *bytes.Buffer, v any) {
	sep := ""
	next := func() { b.WriteString(sep); sep = "," }
	switch v := v.(type) {
	case raw:
		b.WriteString(string(v))
	case absent:
		b.WriteString("null")
	case twice:
		encodeTo(b, v.first)
	case map[string]any:
		b.WriteByte('{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts := []any{v[name]}
			switch is := v[name].(type) {
			case absent:
				parts = nil
			case twice:
				parts = []any{is.first, is.second}
			}
			for _, part := range parts {
				next()
				encodeTo(b, name)
				b.WriteByte(':')
				encodeTo(b, part)
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for _, part := range v {
			next()
			encodeTo(b, part)
		}
		b.WriteByte(']')
	default:
		text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
}

var (
	cursors = regexp.MustCompile(`"(?:cursor|nextCursor|next_cursor|version)":"([^"]+)"`)
)

// collect keeps the ids, cursors and versions of a response for later calls.
func (g *values) collect(res response) {
	if found := anyID.FindAllString(string(res.body), 20); len(found) > 0 && len(g.found) < 500 {
		g.found = append(g.found, found...)
	}
	for _, m := range cursors.FindAllStringSubmatch(string(res.body), 5) {
		g.opaque = append(g.opaque, m[1])
	}
	if tag := res.header.Get("ETag"); tag != "" {
		g.opaque = append(g.opaque, tag)
	}
}
