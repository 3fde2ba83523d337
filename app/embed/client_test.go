package embed

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"hearth/app/embed/embedtest"
	"hearth/app/match"
)

func newTestClient(t *testing.T, url string) *client {
	t.Helper()
	c, err := newClient(&Config{URL: url, Model: "m", Key: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClient(t *testing.T) {
	s := embedtest.New(t, map[string]int{"a sofa": 1, "a couch": 1})
	for _, url := range []string{s.URL, s.URL + "/", s.URL + "/v1", s.URL + "/v1/embeddings"} {
		v, err := newTestClient(t, url).vectors(t.Context(), []string{"a sofa", "a bike", "a couch"})
		if err != nil || len(v) != 3 {
			t.Fatalf("%s: %d vectors, %v", url, len(v), err)
		}
		if v[0].Cosine(v[2]) < 0.9 || v[0].Cosine(v[1]) > 0.3 {
			t.Errorf("cosines %.2f and %.2f", v[0].Cosine(v[2]), v[0].Cosine(v[1]))
		}
	}
	for _, r := range s.Requests() {
		if r.Path != "POST /v1/embeddings" || r.Key != "Bearer secret" || r.Body != `{"model":"m","input":["a sofa","a bike","a couch"]}` {
			t.Errorf("sent %+v", r)
		}
	}
}

// Vectors are in the order of the texts, whatever the order of the response.
func TestOrderOfVectors(t *testing.T) {
	one, two := "[1,0,0,0,0,0,0,0]", "[0,1,0,0,0,0,0,0]"
	v, err := decode(strings.NewReader(`{"data":[{"index":1,"embedding":`+two+`},{"index":0,"embedding":`+one+`}],"usage":{}}`), 2)
	if err != nil || v[0][0] != 127 || v[1][1] != 127 {
		t.Errorf("%v, %v", v, err)
	}
	if v, err = decode(strings.NewReader(`{"data":[{"embedding":`+one+`},{"embedding":`+two+`}]}`), 2); err != nil || v[0][0] != 127 ||
		v[1][1] != 127 {
		t.Errorf("without indexes: %v, %v", v, err)
	}
}

// hostile are responses to a request for two vectors that are errors.
var hostile = map[string]string{
	"empty":              ``,
	"HTML":               `<html>a sofa</html>`,
	"null":               `null`,
	"a list":             `[[1,2]]`,
	"no data":            `{}`,
	"one vector":         `{"data":[` + vector("1", 8, 0) + `]}`,
	"three vectors":      `{"data":[` + vector("1", 8, 0) + `,` + vector("1", 8, 1) + `,` + vector("1", 8, 2) + `]}`,
	"one vector twice":   `{"data":[` + vector("1", 8, 0) + `,` + vector("1", 8, 0) + `]}`,
	"an index below":     `{"data":[` + vector("1", 8, 0) + `,` + vector("1", 8, -1) + `]}`,
	"an index above":     `{"data":[` + vector("1", 8, 0) + `,` + vector("1", 8, 2) + `]}`,
	"different lengths":  `{"data":[` + vector("1", 8, 0) + `,` + vector("1", 9, 1) + `]}`,
	"too short":          `{"data":[` + vector("1", 2, 0) + `,` + vector("1", 2, 1) + `]}`,
	"too long":           `{"data":[` + vector("1", 5000, 0) + `,` + vector("1", 5000, 1) + `]}`,
	"no numbers":         `{"data":[` + vector("1", 0, 0) + `,` + vector("1", 0, 1) + `]}`,
	"zeros":              `{"data":[` + vector("0", 8, 0) + `,` + vector("1", 8, 1) + `]}`,
	"NaN":                `{"data":[` + vector("NaN", 8, 0) + `,` + vector("1", 8, 1) + `]}`,
	"infinity":           `{"data":[` + vector("1e999", 8, 0) + `,` + vector("1", 8, 1) + `]}`,
	"texts":              `{"data":[` + vector(`"1"`, 8, 0) + `,` + vector("1", 8, 1) + `]}`,
	"nested":             `{"data":[` + vector("[1]", 8, 0) + `,` + vector("1", 8, 1) + `]}`,
	"a null vector":      `{"data":[{"index":0,"embedding":null},` + vector("1", 8, 1) + `]}`,
	"base64":             `{"data":[{"index":0,"embedding":"AACAPw=="},` + vector("1", 8, 1) + `]}`,
	"truncated":          `{"data":[` + vector("1", 8, 0),
	"more after the end": `{"data":[` + vector("1", 8, 0) + `,` + vector("1", 8, 1) + `]}{}`,
	"deep":               strings.Repeat(`{"data":`, 100_000),
	"endless":            `{"data":[{"index":0,"embedding":[` + strings.Repeat("1,", 4<<20),
}

func vector(number string, n, index int) string {
	return fmt.Sprintf(`{"index":%d,"embedding":[%s]}`, index, strings.TrimSuffix(strings.Repeat(number+",", n), ","))
}

// Responses that are not two vectors are errors, which quote nothing of what was
// sent or answered.
func TestHostileAnswers(t *testing.T) {
	s := embedtest.New(t, nil)
	c := newTestClient(t, s.URL)
	try := func(name string, answer http.HandlerFunc) {
		s.Answer(answer)
		before := len(s.Requests())
		v, err := c.vectors(t.Context(), []string{"a sofa", "a couch"})
		if err == nil {
			t.Errorf("%s: got %d vectors", name, len(v))
		} else if text := err.Error(); strings.Contains(text, "sofa") || strings.Contains(text, "secret") || strings.Contains(text, "echo") ||
			len(text) > 200 {
			t.Errorf("%s: the error is %s", name, text)
		}
		if n := len(s.Requests()) - before; n != 1 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
	for name, body := range hostile {
		try(name, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
	}
	good := `{"data":[` + vector("1", 8, 0) + `,` + vector("1", 8, 1) + `]}`
	for _, status := range []int{201, 204, 400, 401, 404, 413, 429, 500, 503} {
		try(fmt.Sprint(status), func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			if status != 204 {
				fmt.Fprint(w, good, "echo a sofa")
			}
		})
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		try(fmt.Sprint(status), func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, s.URL+"/v1/embeddings?echo", status) })
	}
	try("no response", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) })
	s.Answer(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, good) })
	if v, err := c.vectors(t.Context(), []string{"a sofa", "a couch"}); err != nil || len(v) != 2 {
		t.Errorf("afterwards: %d vectors, %v", len(v), err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, body := range hostile {
		f.Add(body[:min(len(body), 1000)])
	}
	f.Fuzz(func(t *testing.T, body string) {
		v, err := decode(strings.NewReader(body), 2)
		if err == nil && (len(v) != 2 || len(v[0]) < match.MinDimensions || len(v[0]) != len(v[1])) {
			t.Errorf("got %v", v)
		}
	})
}

func TestSettings(t *testing.T) {
	for _, c := range []Config{
		{URL: "", Model: "m"}, {URL: "embed", Model: "m"}, {URL: "ftp://x", Model: "m"}, {URL: "http://x/?a=b", Model: "m"},
		{URL: "http://x"}, {URL: "http://x", Model: "m\n"}, {URL: "http://x", Model: strings.Repeat("m", 201)},
		{URL: "http://x", Model: "m", AllowNet: []string{"a b"}},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v was accepted", c)
		} else if !strings.Contains(err.Error(), "--embed-") {
			t.Errorf("%+v: the error does not name the setting: %v", c, err)
		}
	}
}
