package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// What goes wrong in a script is in the server's log: once however often it
// happens, a few times per page at most, and without what people wrote.
func testScriptErrors(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	id := s.post("ada", "/api/lists", `{"title":"Secretword","visibility":"private"}`)
	p := newTab(t, browser, s.base())
	p.signIn(s, "ada@example.org")
	p.open("/list/" + id)
	p.until(`document.querySelector("#watching").textContent === "1 viewing"`)
	p.expect("exception")
	reports := func() (lines []string) {
		for line := range strings.Lines(s.log.String()) {
			if strings.Contains(line, "error in a browser") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	// The page lacks what the script needs, so that each change fails.
	eval[bool](p, `document.querySelector("#count").remove(), window.failures = 0,
		addEventListener("unhandledrejection", () => failures++), true`)
	for n := range 3 {
		s.post("ada", "/api/lists/"+id+"/items", fmt.Sprintf(`{"content":"Secretword %d"}`, n))
		p.until(fmt.Sprintf(`failures > %d`, n))
	}
	for start := time.Now(); len(reports()) == 0 && time.Since(start) < patience; time.Sleep(10 * time.Millisecond) {
	}
	got := reports()
	if len(got) != 1 || !strings.Contains(got[0], "TypeError: Cannot read properties of null") || !strings.Contains(got[0], "list.js:") ||
		!strings.Contains(got[0], "/list/*") {
		t.Fatalf("the log has %q", got)
	}
	for _, secret := range []string{"Secretword", id} {
		if strings.Contains(got[0], secret) {
			t.Errorf("the report has %q: %s", secret, got[0])
		}
	}
	// Different errors at places in a script. Five of them are reported.
	eval[bool](p, `(() => {
		for (let n = 0; n < 9; n++) {
			const e = new Error("Unexpected " + "x".repeat(n) + ' token, "Secretword" is not valid');
			e.stack = "at http://x/static/h/list.js:" + n + ":1 Secretword";
			setTimeout(() => { throw e });
		}
		const foreign = new Error("Secretword of an extension");
		foreign.stack = "at chrome-extension://x/y.js:1:1";
		setTimeout(() => { throw foreign });
		return true;
	})()`)
	for start := time.Now(); len(reports()) < 5 && time.Since(start) < patience; time.Sleep(10 * time.Millisecond) {
	}
	p.open("/list/" + id)
	if all := strings.Join(reports(), ""); strings.Count(all, "\n") != 5 || strings.Contains(all, "Secretword") {
		t.Errorf("the log has\n%s", all)
	}
}

// openListLooks returns the pages of an open list with comments, and with items
// that wait for its owner.
func openListLooks(s *browserServer, guest, ada *tab) []look {
	id := s.post("ada", "/api/lists", `{"title":"Benches","description":"Where to sit","visibility":"public-edit","moderated":true}`)
	item := s.post("ben", "/api/lists/"+id+"/items", `{"content":"By the mill, in the afternoon","link":"https://benches.example/mill"}`)
	path := "/list/" + id
	here := path + "/item/" + item
	s.post("cleo", "/api/lists/"+id+"/items/"+item+"/comments", `{"content":"It is being painted until Friday, see https://mill.example/"}`)
	s.post("ada", "/api/lists", `{"title":"Elsewhere","visibility":"public",
		"items":[{"content":"The mill","link":"http://benches.example/mill/"}]}`)
	s.json("ben", "PUT", "/api/lists/"+id+"/items/"+item+"/star", "")
	s.json("ada", "PUT", "/api/lists/"+id+"/members/"+s.ids["$id:ben"], `{"role":"editor"}`)
	return []look{
		{"open-list-guest", guest, func(p *tab) { p.open(path) }},
		{"open-receipt", guest, func(p *tab) {
			p.open(path)
			p.fill("#content", "A green bench")
			p.fill("#reporter", "Walker")
			p.send("Add")
		}},
		at("open-queue", ada, path+"/queue"), at("open-item", ada, here), at("open-item-guest", guest, here), at("open-edit", ada, path+"/edit"),
		at("open-people", ada, path+"/people"),
		{"open-answer", ada, func(p *tab) {
			p.open(here)
			p.follow(func() { p.clickOn(`document.querySelectorAll(".comment a.btn-link")`) })
		}},
		at("open-search", ada, "/list/search?q=mill"), at("import", ada, "/list/import"),
		{"import-plan", ada, func(p *tab) {
			p.open("/list/import")
			p.fill("#data", "# Mills\n\n- [The mill](https://mill.example/)\n- A second mill down the river, where the bench is that was "+
				"painted green last summer")
			p.send("Continue")
		}},
	}
}
