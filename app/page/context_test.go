package page_test

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"hearth/app/lane"
	"hearth/app/page"
)

// A post can be edited and deleted on whatever page of the lane it is, and what was
// typed is there again if that is refused.
func TestOldPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *page.Config) {
		with := c.Lane.Config
		with.Context = true
		c.Lane = lane.New(with)
	})
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	at := ada.converse("Garden", w.cast.Ben) + "/context"
	for n := range 33 {
		ada.post(at, url.Values{"id": {fmt.Sprint(n)}, "text": {fmt.Sprintf("post %02d", n)}}).leads(t, at+".*")
		w.db.Clock.Advance(time.Minute)
	}
	ada.get(at).want(t, 200, "post 32").lacks(t, "post 00")
	older := ada.get(html.UnescapeString(found(t, `href="([^"]*cursor=[^"]*)"`, ada.get(at).body))).want(t, 200, "post 00").body
	old := found(t, `(?s).*action="`+at+`/([0-9a-f-]{36})/ask"`, older) // the last of the page
	ada.get(at+"?edit="+old).want(t, 200, at+"/"+old+"/edit", "post 00", `for="edit-`+old+`-text"`, `id="edit-`+old+`-text"`)
	ada.get(at+"?delete="+old).want(t, 200, "Delete this post", at+"/"+old+"/delete")
	ben.get(at+"?edit="+old).want(t, 200, "post 00").lacks(t, at+"/"+old+"/edit")

	edit := func(text, revision string) answer {
		return ada.post(at+"/"+old+"/edit", url.Values{"text": {text}, "revision": {revision}})
	}
	edit("too long"+strings.Repeat("!", 20000), "1").want(t, 422, "too long!", at+"/"+old+"/edit")
	to := edit("changed elsewhere", "1").leads(t, at+".*")
	ada.get(to).want(t, 200, "changed elsewhere", "data-apart")
	edit("mine", "1").want(t, 422, "mine", "As it is now", "changed elsewhere", at+"/"+old+"/edit").lacks(t, "current has it",
		"with its revision")
	ada.post(at+"/"+old+"/delete", nil).leads(t, at+".*")
	edit("mine", "2").want(t, 404, "What you wrote", "mine")
	w.as(w.cast.Stranger).get(at+"?edit="+old).want(t, 404)
}
