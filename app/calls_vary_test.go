package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"hearth/store"
)

// attempt is a request. Its path is encoded and has the query.
type attempt struct {
	who, method, path string
	header            http.Header
	kind              string // the content type, "" for none
	body              string
}

func (c attempt) String() string {
	body := c.body
	if len(body) > 1500 {
		body = fmt.Sprintf("%s… (%d bytes)", body[:1500], len(body))
	}
	return fmt.Sprintf("%s %s %s %q %v %q", c.who, c.method, c.path, c.kind, c.header, body)
}

// vary returns another call of o than the valid one c.
func (r *round) vary(o *operation, c attempt) attempt {
	switch {
	case !r.inside:
		c.who = r.pick(outsiders)
	case o.method != "GET" && r.chance(15):
		c.who = "ada/write" // who gets receipts
	case r.chance(40):
		c.who = r.pick(slices.Concat(insiders, outsiders))
	}
	if o.method == "TOOL" {
		c.body = r.arguments(o, c.body)
		return c
	}
	path, query, _ := strings.Cut(c.path, "?")
	c.path = r.varyPath(o, path)
	if query = r.varyQuery(o, query); query != "" {
		c.path += "?" + query
	}
	r.varyBody(o, &c)
	for range r.IntN(3) {
		r.varyHeader(o, &c)
	}
	if r.chance(2) {
		c.method = r.pick([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "PROPFIND"})
	}
	return c
}

// varyPath returns the path with other values of some parameters.
func (r *round) varyPath(o *operation, path string) string {
	pattern, parts := strings.Split(o.path, "/"), strings.Split(path, "/")
	for i, p := range pattern {
		name, isParameter := strings.CutPrefix(p, "{")
		switch {
		case !isParameter:
			continue
		case !r.inside && strings.HasSuffix(o.path, "/accept"):
			// A link to join the group would admit whoever has it.
			parts[i] = r.id("")
		case r.chance(25):
			parts[i] = r.id(strings.TrimSuffix(name, "}") + o.path)
		case r.chance(10):
			parts[i] = strings.ToUpper(parts[i])
		case r.chance(15):
			parts[i] = url.PathEscape(r.odd())
		}
	}
	if r.chance(3) {
		parts = append(parts, url.PathEscape(r.odd()))
	}
	return strings.Join(parts, "/")
}

// varyQuery returns the query with other parameters.
func (r *round) varyQuery(o *operation, query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range o.params {
		name := p.Value.Name
		if p.Value.In != "query" || r.chance(40) {
			continue
		}
		switch r.IntN(5) {
		case 0:
			values.Set(name, r.odd())
		case 1:
			values.Set(name, r.id(name))
		case 2:
			if len(r.opaque) > 0 {
				values.Set(name, r.pick(r.opaque))
			}
		default:
			values.Set(name, fmt.Sprint(r.of(p.Value.Schema.Value, name, 0)))
		}
		if r.chance(4) {
			values.Add(name, r.odd())
		}
	}
	query = values.Encode()
	if r.chance(3) {
		query += "&" + strings.NewReplacer(" ", "", "\r", "", "\n", "", "\x00", "").Replace(r.odd()) + "=%zz"
	}
	return query
}

// varyBody gives c another body.
func (r *round) varyBody(o *operation, c *attempt) {
	switch {
	case o.body != nil:
		c.body = r.arguments(o, c.body)
	case c.body != "" && r.chance(60):
		c.body = r.cut(c.body)
	case c.body == "" && r.chance(10):
		c.body, c.kind = "{}", "application/json"
	}
	switch {
	case c.body == "":
	case r.chance(5):
		c.kind = r.pick([]string{"", "text/plain", "application/json; charset=utf-16", "application/json;;", "application/x-www-form-urlencoded",
			"multipart/form-data", "multipart/form-data; boundary=" + strings.Repeat("x", 80), "application/xml"})
	case r.chance(3):
		c.header.Set("Content-Encoding", r.pick([]string{"gzip", "identity", "br"}))
	}
}

// arguments returns the JSON of a call: a valid or nearly valid object with other
// values, and one that is not.
func (r *round) arguments(o *operation, base string) string {
	object := map[string]any{}
	if base != "" {
		if err := json.Unmarshal([]byte(r.fillIDs(base)), &object); err != nil {
			r.t.Fatalf("%s: %v", base, err)
		}
	}
	made, _ := r.of(schemaOf(o.body), "", 0).(map[string]any)
	switch r.IntN(10) {
	case 0:
	case 1, 2, 3:
		for name, v := range made {
			if object[name] == nil {
				object[name] = v
			}
		}
	case 4, 5:
		object = made
	default:
		for name, v := range made {
			if object[name] == nil && r.chance(50) {
				object[name] = v
			}
		}
		return r.cutRarely(encoded(r.spoil(object)))
	}
	return r.cutRarely(encoded(object))
}

// schemaOf returns s, or one of those that it is any of.
func schemaOf(s *openapi3.Schema) *openapi3.Schema {
	for _, of := range slices.Concat(s.AnyOf, s.OneOf) {
		return schemaOf(of.Value)
	}
	return s
}

func (r *round) cutRarely(body string) string {
	if r.chance(5) {
		return r.cut(body)
	}
	return body
}

// cut returns a body that something happened to on its way.
func (r *round) cut(body string) string {
	switch r.IntN(9) {
	case 0:
		return ""
	case 1:
		return body[:r.IntN(len(body)+1)]
	case 2:
		return body + body
	case 3:
		return "\ufeff" + body
	case 4:
		return strings.Repeat("[", 100_000)
	case 5:
		return body + strings.Repeat(" ", 300<<10)
	case 6:
		return r.odd()
	case 7:
		return strings.Replace(body, `"`, "\xff", 1)
	}
	at := r.IntN(len(body) + 1)
	return body[:at] + r.odd() + body[at:]
}

// varyHeader gives c an odd header.
func (r *round) varyHeader(o *operation, c *attempt) {
	version := `"x"`
	if len(r.opaque) > 0 {
		version = r.pick(r.opaque)
	}
	text := strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' || c == 0x7f {
			return -1
		}
		return c
	}, r.odd())
	switch r.IntN(8) {
	case 0:
		c.header.Set("If-Match", r.pick([]string{"*", version, `"` + version + `"`, "W/" + version, `"a", "b"`, text, ""}))
	case 1:
		c.header.Set("If-None-Match", r.pick([]string{"*", version, "W/" + version, strings.Repeat(`"a",`, 500), text}))
	case 2:
		c.header.Set("Range", r.pick([]string{"bytes=0-0", "bytes=-1", "bytes=5-2", "bytes=99999999999999999999-", "bytes=" +
			strings.Repeat("0-0,", 500), "bytes=-99999999999999999999", "x=1", text}))
		c.header.Set("If-Range", version)
	case 3:
		// One that was used before, by whoever and for whatever, or a new one.
		r.keys = min(r.keys+1, 20)
		c.header.Set("Idempotency-Key", r.pick([]string{fmt.Sprint("key ", r.IntN(r.keys)), store.NewID(), text, strings.Repeat("k", 256)}))
	case 4:
		c.header.Set(r.pick([]string{"Accept", "Accept-Encoding", "Accept-Language", "User-Agent", "Referer", "X-Http-Method-Override", "Prefer",
			"Expect"}), text)
	case 5:
		c.header.Set(r.pick([]string{"X-Forwarded-For", "X-Real-Ip", "Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto"}),
			r.pick([]string{"127.0.0.1", "::1", "for=127.0.0.1;host=evil.example", text}))
	case 6:
		c.header.Set("Cookie", r.pick([]string{"hearth=" + strings.Repeat("x", 43), "hearth=" + text, "__Host-hearth=x", "hearth=a; hearth=b"}))
		c.header.Set("Origin", r.pick([]string{"null", "https://evil.example", "http://hearth.test", text}))
		c.header.Set("Sec-Fetch-Site", r.pick([]string{"cross-site", "same-origin", text}))
	case 7:
		c.header.Set("Last-Event-Id", r.pick([]string{"0", "1", strings.Repeat("f", 32), version, text}))
	}
}
