package app_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is checked off is nobody's to know while the list is not checkable: two
// worlds that differ in it alone answer alike.
func TestHiddenChecks(t *testing.T) {
	staged := newWorld(t)
	staged.ids["$id:l"] = idIn(t, staged.want("ada", "POST", "/api/lists",
		`{"title":"L","visibility":"public","checkable":true,"items":[{"content":"one"},{"content":"two"}]}`, 201, "").body)
	staged.ids["$id:i"] = staged.firstItem("$id:l")
	for _, who := range []string{"ben", "public"} {
		staged.token(who)
	}
	const l, i = "/api/lists/$id:l", "/api/lists/$id:l/items/$id:i"
	db := staged.snapshot()
	var want []string
	for _, checked := range []string{"true", "false"} {
		w := staged.copy(t, db)
		w.want("ada", "PATCH", i, `{"content":"uno","checked":`+checked+`}`, 200, "")
		w.want("ada", "PATCH", l, `{"checkable":false}`, 200, "")
		var got []string
		for _, who := range []string{"ada", "ben", "anonymous", "public"} {
			for _, path := range []string{"/api/lists?public=true", l, l + "/items", i, l + "/export?format=json", l + "/export?format=csv", l +
				"/export?format=md",
				"/api/search?q=uno", "/list/$id:l", "/list/$id:l/items", "/list/$id:l/item/$id:i", "/list/$id:l.md", "/list/$id:l/feed.json"} {
				res := w.json(who, "GET", w.fillIDs(path), "")
				got = append(got, who+" "+path+"\n"+position.ReplaceAllString(string(res.body), ""))
			}
		}
		if want == nil {
			want = got
		} else if d := cmp.Diff(want, got); d != "" {
			t.Errorf("what was checked off is shown:\n%s", d)
		}
	}
}
