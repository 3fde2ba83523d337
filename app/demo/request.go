package demo

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
)

// call does a request as a person, a kept key, or "anon" with the public key, and
// returns its result. The body is a text of JSON, a value, or a file. A method with an
// exclamation mark before it is expected to fail.
func (s *seeder) call(who, call string, body any) (out map[string]any, err error) {
	method, path, _ := strings.Cut(call, " ")
	method, fails := strings.CutPrefix(method, "!")
	if path, err = s.fill(path); err != nil {
		return nil, err
	}
	content, kind, err := s.body(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(s.ctx, method, baseURL+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Content-Type", kind)
	if who != "" {
		token, err := s.token(who)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := (&app.Database{App: s.app}).RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(res.Body)
	if err != nil || (res.StatusCode >= 400) != fails {
		return nil, fmt.Errorf("%s, %s: %d %s", who, call, res.StatusCode, answer)
	}
	if bytes.HasPrefix(answer, []byte("{")) {
		err = json.Unmarshal(answer, &out)
	}
	return out, err
}

// upload is the name of a file that is a body.
type upload string

// body returns a body and its type, with what its placeholders stand for.
func (s *seeder) body(body any) (content []byte, kind string, err error) {
	text, ok := body.(string)
	if name, ok := body.(upload); ok {
		return form(string(name))
	}
	if !ok && body != nil {
		if content, err = json.Marshal(body, json.Deterministic(true)); err != nil {
			return nil, "", err
		}
		text = string(content)
	}
	text, err = s.fill(text)
	return []byte(text), "application/json", err
}

// form returns a form with a file.
func form(name string) (content []byte, kind string, err error) {
	file, err := data.ReadFile("files/" + name)
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(file)
	}
	w.Close()
	return b.Bytes(), w.FormDataContentType(), err
}

// placeholders are $name, the id of what is kept under the name, $name.member, another
// member of it, and $+3d, the time in three days.
var placeholders = regexp.MustCompile(`\$(\+?[\w.]*\w)`)

func (s *seeder) fill(text string) (out string, err error) {
	out = placeholders.ReplaceAllStringFunc(text, func(p string) string {
		if later, ok := strings.CutPrefix(p, "$+"); ok {
			d, _ := parseAgo(later)
			return s.now.Add(d).UTC().Format(time.RFC3339)
		}
		id := s.id(p[1:])
		if id == "" {
			err = fmt.Errorf("there is no %q", p)
		}
		return id
	})
	return out, err
}

// id returns the member of a kept result that the dots of the name lead to, or its id,
// or "".
func (s *seeder) id(name string) string {
	var v any = s.kept
	for word := range strings.SplitSeq(name, ".") {
		switch t := v.(type) {
		case map[string]any:
			v = t[word]
		case []any:
			if i, err := strconv.Atoi(word); err == nil && i < len(t) {
				v = t[i]
			}
		}
	}
	for m, ok := v.(map[string]any); ok; m, ok = v.(map[string]any) {
		v = cmp.Or(m["bot"], m["id"])
		for _, only := range m {
			if v == nil && len(m) == 1 {
				v = only
			}
		}
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// token returns the credential of a key or a person, whose account it creates at first.
// The first person becomes an administrator.
func (s *seeder) token(who string) (string, error) {
	if who == "anon" {
		return s.app.PublicKey(), nil
	}
	if now := s.clock.Now(); now.Sub(s.signedIn) > day {
		s.signedIn = now
		clear(s.tokens)
	}
	if known := cmp.Or(s.id(who+".key"), s.tokens[who]); known != "" {
		return known, nil
	}
	link, err := s.app.Account.LinkFor(s.ctx, address(who), true)
	if err != nil {
		return "", err
	}
	_, once, _ := strings.Cut(link, "token=")
	out, err := s.call("", "POST /api/auth/magic-link/verify", map[string]string{"token": once})
	if err != nil {
		return "", err
	}
	s.tokens[who] = fmt.Sprint(out["token"])
	if slices.Contains(s.handles, who) {
		return s.tokens[who], nil
	}
	if s.handles = append(s.handles, who); len(s.handles) == 1 {
		err = s.app.Account.Promote(s.ctx, address(who))
	}
	return s.tokens[who], err
}

func address(handle string) string { return handle + "@hearth.example" }
