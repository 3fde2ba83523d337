package page_test

import (
	"net/url"
	"testing"

	"hearth/app/page"
	"hearth/store"
)

// becomes signs another person in, in the same browser.
func (b *browser) becomes(u store.User) {
	b.w.t.Helper()
	b.post("/test/sign-in/"+u.ID, nil).want(b.w.t, 200)
}

// A form is not sent with another account than that for which its page was made: what
// was written is shown.
func TestFormsOfAnotherAccount(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	chat, made := b.converse("", w.cast.Ben), b.newList("public-edit")
	write := func(path, action, name, text string) url.Values {
		for _, f := range page.FormsOf(t, b.get(path).body) {
			if f.Action == action && f.Values.Has(name) {
				f.Values.Set(name, text)
				return f.Values
			}
		}
		t.Fatalf("%s has no form to %s with %s", path, action, name)
		return nil
	}
	message, item, status := write(chat, chat, "content", "I agree <b>"), write(made, made, "content", "Pumpernickel"),
		write("/settings", "/settings/status", "text", "Kneading")
	b.becomes(w.cast.Ben)
	b.post(chat, message).want(t, 409, "signed in as another account", "Nothing was sent", "I agree &lt;b&gt;")
	b.post(made, item).want(t, 409, "signed in as another account", "Pumpernickel")
	b.post("/settings/status", status).want(t, 409, "signed in as another account", "Kneading")
	b.post("/settings/presence", url.Values{"me": {w.cast.Ada.ID}, "presenceStatus": {"busy"}}).want(t, 409, "Reload the page.")
	b.send(chat, url.Values{"me": {w.cast.Ada.ID}, "content": {"With a file"}}, map[string]string{"a.txt": "a"}).want(t, 409, "With a file")
	b.get(chat).lacks(t, "I agree", "With a file")
	b.get(made).lacks(t, "Pumpernickel")
	b.get("/settings").lacks(t, "Kneading")

	b.becomes(w.cast.Ada)
	b.post(chat, message).leads(t, chat+".*")
	b.get(chat).want(t, 200, "I agree &lt;b&gt;")
	b.post(made, url.Values{"content": {"Salt"}}).leads(t, made+".*") // a program says nothing
}

// What a guest wrote is not sent in the name of who signed in meanwhile.
func TestFormsOfGuestsWhoSignedIn(t *testing.T) {
	w := newWorld(t)
	made := w.as(w.cast.Ada).newList("public-edit")
	b := w.guest()
	form := b.get(made).again(t, made).Values
	form.Set("content", "A <secret> tip")
	form.Set("reporter", "Nobody")
	login := b.get("/login").again(t, "/login").Values
	login.Set("email", w.cast.Cleo.Email)
	b.becomes(w.cast.Ben)
	b.post(made, form).want(t, 409, "Nothing was sent", "A &lt;secret&gt; tip")
	b.get(made).want(t, 200).lacks(t, "tip")
	b.post("/login", login).leads(t, "/login/code")
}

// What was written with an account is not sent without one, once its session has ended.
func TestFormsOfEndedSessions(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	made := w.as(w.cast.Ben).newList("public-edit")
	form := b.get(made).again(t, made).Values
	form.Set("content", "A <secret> tip")
	b.post("/logout", nil).leads(t, "/.*")
	b.post(made, form).want(t, 401, "You are not signed in", "Nothing was sent", "A &lt;secret&gt; tip", "Sign in")
	b.get(made).want(t, 200).lacks(t, "tip")
	b.becomes(w.cast.Ada)
	b.post(made, form).leads(t, made+".*")
	b.get(made).want(t, 200, "A &lt;secret&gt; tip", w.cast.Ada.Name)
	// A page that has a secret or signs in works all the same.
	b.post("/logout", url.Values{"me": {w.cast.Ada.ID}}).leads(t, "/.*")
	b.post("/logout", url.Values{"me": {w.cast.Ada.ID}}).leads(t, "/.*")
	b.post("/login", url.Values{"me": {w.cast.Ada.ID}, "email": {w.cast.Ada.Email}}).leads(t, "/login/code")
}
