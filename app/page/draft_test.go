package page_test

import (
	"net/url"
	"testing"

	"hearth/app/social"
	"hearth/store/storetest"
)

// A draft and its preview promise no match that cannot happen: they say what is missing.
func TestDraftSaysWhatItIsMatchedWith(t *testing.T) {
	const same, both = "With someone who wants to do the same.", "Only with someone who also looks for what you bring."
	const noSame, nobody = "Nobody who wants to do the same can match it yet: ", "Nobody can match it yet: "
	const tick, about, seeks, brings = "tick “I would also do it together with others”", "say what it is about", "say what you look for",
		"say what you bring"
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	for _, c := range []struct {
		in   social.CreateDraftIn
		want string
	}{
		{social.CreateDraftIn{MatchingMode: "shared_goal", Goal: "a band", Seeks: []string{"a drummer"}, OpenToCollaborators: true}, same},
		{social.CreateDraftIn{MatchingMode: "shared_goal", Goal: "a band", Seeks: []string{"a drummer"}}, noSame + tick + "."},
		{social.CreateDraftIn{MatchingMode: "shared_goal", Seeks: []string{"a drummer"}, OpenToCollaborators: true}, noSame + about + "."},
		{social.CreateDraftIn{MatchingMode: "shared_goal", Seeks: []string{"a drummer"}}, noSame + about + ", and " + tick + "."},
		{social.CreateDraftIn{MatchingMode: "reciprocal", Seeks: []string{"a drummer"}, Brings: []string{"a room"}}, both},
		{social.CreateDraftIn{MatchingMode: "reciprocal", Seeks: []string{"a drummer"}}, nobody + brings + "."},
		{social.CreateDraftIn{MatchingMode: "reciprocal", Brings: []string{"a room"}}, nobody + seeks + "."},
	} {
		made, err := w.social.CreateDraft.Call(t.Context(), storetest.Human(w.cast.Ada), c.in)
		if err != nil {
			t.Fatal(err)
		}
		at := "/drafts/" + made.Draft.ID
		ada.get(at+"/publish").want(t, 200, "<dd>"+c.want+"</dd>")
		preview := ada.post(at+"/preview", url.Values{"search": {"yes"}, "who": {"everybody"}, "until": {"7d"}}).want(t, 200, "<dd>"+c.want+
			"</dd>")
		if c.want != same {
			preview.lacks(t, same)
		}
		if c.want != both {
			preview.lacks(t, both)
		}
	}
}
