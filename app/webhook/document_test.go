package webhook

import (
	"net/http"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"hearth/app/api"
	"hearth/app/core"
)

// A delivery and a test have the headers and the body that the OpenAPI document
// describes for webhooks, and no other header of their own.
func TestDocument(t *testing.T) {
	text, err := api.OpenAPI(api.Described(), "http://hearth.test")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	var described struct {
		Webhooks map[string]struct {
			Post struct{ Parameters []struct{ Name, In string } }
		}
	}
	if err := json.Unmarshal(text, &described, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, p := range described.Webhooks["message.created"].Post.Parameters {
		if p.In == "header" {
			want = append(want, http.CanonicalHeaderKey(p.Name))
		}
	}
	slices.Sort(want)

	w := newWorld(t)
	r := w.receiver(nil)
	c := w.group(w.Ada, w.Ben)
	made := w.hook(w.Ada, r.URL, c)
	w.send(as(w.Ben), c, "hello")
	if _, err := w.chat.TestWebhook.Call(w.ctx, as(w.Ada), core.ByID{ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.until("both delivered", func() bool { return len(r.all()) == 2 })
	for _, got := range r.all() {
		var body any
		if err := json.Unmarshal(got.body, &body); err != nil {
			t.Fatal(err)
		}
		if err := doc.Components.Schemas["WebhookDelivery"].Value.VisitJSON(body, openapi3.EnableJSONSchema2020(),
			openapi3.MultiErrors()); err != nil {
			t.Errorf("%s: %v", got.body, err)
		}
		var names []string
		for name := range got.header {
			if !slices.Contains([]string{"Accept", "Accept-Encoding", "Content-Length", "Content-Type", "User-Agent"}, name) {
				names = append(names, name)
			}
		}
		if slices.Sort(names); len(want) == 0 || !slices.Equal(names, want) {
			t.Errorf("the headers are %q, and %q are documented", names, want)
		}
	}
}
