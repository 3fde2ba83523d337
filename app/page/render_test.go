package page

import "testing"

// A page has copies of the shared templates that it uses, and of no others.
func TestSetHasWhatThePageUses(t *testing.T) {
	v, err := loadViews()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		page, template string
		want           bool
	}{{"chat", "lane", true}, {"login", "lane", false}, {"login", "page", true}} {
		set, err := v.sets[c.page]()
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Lookup(c.template) != nil; got != c.want {
			t.Errorf("page %q has template %q: %v", c.page, c.template, got)
		}
	}
}
