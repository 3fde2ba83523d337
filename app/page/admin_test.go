package page_test

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"hearth/app/page"
	"hearth/store"
	"hearth/store/storetest"
)

var (
	parameter    = regexp.MustCompile(`\{[a-z_]+\}`)
	feedbackDone = regexp.MustCompile(`/admin/feedback/[0-9a-f-]{36}/done`)
)

// administrator returns a browser of Ada, who is an administrator.
func (w *world) administrator() *browser {
	w.t.Helper()
	if err := w.account.Promote(w.t.Context(), w.cast.Ada.Email); err != nil {
		w.t.Fatal(err)
	}
	return w.as(w.cast.Ada)
}

// report adds a report about an account.
func (w *world) report(of store.User) (id string) {
	w.t.Helper()
	err := w.db.Write(w.t.Context(), func(tx *store.Tx) error {
		r, err := tx.InsertReport(store.UserReport{ReporterID: w.cast.Ada.ID, TargetType: "user", TargetID: of.ID, UserID: of.ID,
			Reason: "self_harm", Text: "As it was"})
		id = r.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// Only administrators have the pages, and a link to them.
func TestAdminPagesAreForAdministrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ben, ada := w.as(w.cast.Ben), w.administrator()
	report := w.report(w.cast.Cleo)
	ben.get("/chat").lacks(t, `href="/admin"`)
	ada.get("/chat").want(t, 200, `href="/admin"`)
	for _, path := range []string{"/admin", "/admin/people", "/admin/people/" + w.cast.Cleo.ID, "/admin/reports", "/admin/reports/" + report,
		"/admin/feedback", "/admin/audit", "/admin/storage", "/admin/settings"} {
		ben.get(path).want(t, 403, "You don’t have access").lacks(t, "cleo@example.org", "As it was")
		ada.get(path).want(t, 200, "<h1>Administration</h1>")
	}
	for _, r := range page.Routes() {
		if path, ok := strings.CutPrefix(r.Pattern, "POST "); ok && strings.HasPrefix(path, "/admin") {
			ben.post(parameter.ReplaceAllLiteralString(path, w.cast.Cleo.ID),
				url.Values{"sure": {"yes"}, "outcome": {"suspend"}, "signup": {"open"}}).want(t, 403)
		}
	}
}

// An administrator suspends with a confirmation, restores, promotes, and steps
// down last.
func TestAdminPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben := w.administrator(), w.as(w.cast.Ben)
	at := "/admin/people/" + w.cast.Ben.ID
	ada.get("/admin/people?q=ben").want(t, 200, at, "ben@example.org").lacks(t, "cleo@example.org")
	ada.post(at+"/suspend", nil).want(t, 422, "Tick the box to confirm")
	ben.get("/chat").want(t, 200)
	ada.post(at+"/suspend", url.Values{"sure": {"yes"}}).leads(t, at+`\?done=suspended`)
	ben.get("/chat").leads(t, `/login.*`)
	ada.get(at+"?done=suspended").want(t, 200, "Suspended.", "Lift suspension").lacks(t, "/suspend\"")
	ada.post(at+"/restore", nil).leads(t, at+`\?done=restored`)

	own := "/admin/people/" + w.cast.Ada.ID
	ada.get(own).want(t, 200).lacks(t, own+"/suspend")
	ada.post(own+"/demote", nil).want(t, 422, "the only active administrator")
	ada.post(at+"/promote", nil).leads(t, at+`\?done=promoted`)
	ada.post(own+"/demote", nil).leads(t, `/settings\?done=demoted`)
	ada.get("/admin").want(t, 403)
	ben = w.as(w.cast.Ben)
	ben.get("/admin/audit").want(t, 200, "<b><bdi>Ada</bdi></b> suspended <a href=\""+at+"\"><bdi>Ben</bdi></a>",
		"A command on the server made")
	ben.get("/admin/people/"+store.NewID()).want(t, 404)
}

// An administrator does not see what is reported about them or their bots while there is another one. The only one
// does, which the forms say beforehand.
func TestReportOfAnAdministrator(t *testing.T) {
	w := newWorld(t)
	ada, cleo := w.administrator(), w.as(w.cast.Cleo)
	const warned = "This report is about the only administrator"
	form := "/report?user=" + w.cast.Ada.ID
	cleo.get(form).want(t, 200, warned, "hearth reports ls").lacks(t, "is not told about it")
	cleo.get("/report?user="+w.cast.Ben.ID).want(t, 200, "is not told about it").lacks(t, warned)
	at, other := "/admin/reports/"+w.report(w.cast.Ada), "/admin/reports/"+w.report(w.cast.Ben)
	ada.get("/admin/reports").want(t, 200, at, other)
	if err := w.account.Promote(t.Context(), w.cast.Ben.Email); err != nil {
		t.Fatal(err)
	}
	ben := w.as(w.cast.Ben)
	ada.get("/admin").want(t, 200, `<b class="num">1</b> open report<`)
	ada.get("/admin/reports").want(t, 200, other).lacks(t, at)
	ada.get(at).want(t, 404)
	ada.post(at, url.Values{"outcome": {"dismissed"}}).want(t, 404)
	ben.get("/admin/reports").want(t, 200, at).lacks(t, other)
	cleo.get(form).want(t, 200, "is not told about it").lacks(t, warned)
	ben.post("/admin/people/"+w.cast.Ada.ID+"/suspend", url.Values{"sure": {"yes"}}).leads(t, ".*suspended")
	ben.get("/admin/reports").want(t, 200, at, other)
}

// A report is decided once, and acts on what it is about with a confirmation.
func TestAdminReport(t *testing.T) {
	w := newWorld(t)
	ada, cleo := w.administrator(), w.as(w.cast.Cleo)
	at := "/admin/reports/" + w.report(w.cast.Cleo)
	ada.get("/admin").want(t, 200, `<b class="num">1</b> open report<`)
	ada.get("/admin/reports").want(t, 200, at, "Self-harm")
	ada.get(at).want(t, 200, "As it was", "<dd>Self-harm</dd>", `value="suspend"`, "Yes, suspend at once").lacks(t, `value="delete_message"`)
	for _, outcome := range []string{"", "resolve", "none"} {
		ada.post(at, url.Values{"outcome": {outcome}}).want(t, 422, "Choose what to do.")
	}
	ada.post(at, url.Values{"outcome": {"suspend"}, "note": {"Enough"}}).want(t, 422, "Tick the box", "Enough")
	cleo.get("/chat").want(t, 200)
	ada.post(at, url.Values{"outcome": {"suspend"}, "note": {"Enough"}, "sure": {"yes"}}).leads(t, `/admin/reports\?done=decided`)
	cleo.get("/chat").leads(t, `/login.*`)
	ada.get("/admin/reports").lacks(t, at)
	ada.get("/admin/reports?state=decided").want(t, 200, at, "resolved")
	ada.get(at).want(t, 200, "Enough", "By <bdi>Ada</bdi>").lacks(t, "<form class=\"form card\"")
	ada.post(at, url.Values{"outcome": {"dismissed"}}).want(t, 422, "decided already")
}

// Each act is a sentence, with a link to what it is about if that is there.
func TestAuditLog(t *testing.T) {
	w := newWorld(t)
	ada := w.administrator()
	by := storetest.Human(w.cast.Ada)
	err := w.db.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.Audit(store.Viewer{Kind: store.Operator}, "user.erase", store.DeletedUserID, ""),
			tx.Audit(by, "invitation.revoke", w.cast.Ben.ID, ""),
			tx.Audit(by, "settings.update", "", `welcome "`+strings.Repeat("w", 1000)+`", memberInvites no`))
	})
	if err != nil {
		t.Fatal(err)
	}
	ada.get("/admin/audit").want(t, 200, "A command on the server deleted an account<", `revoked an invitation by <a href="/admin/people/`+
		w.cast.Ben.ID+`">`,
		"…, invitations by members: no)").lacks(t, strings.Repeat("w", 100), store.DeletedUserID)
}

func TestFeedback(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.administrator(), w.as(w.cast.Ben)
	ben.get("/feedback").want(t, 200, "Send feedback")
	for path, shown := range map[string]bool{"/people": true, "/join/secret": false, "/login/verify": false, "/c/secret": false} {
		req, err := http.NewRequest("GET", w.url+"/feedback", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Referer", w.url+path)
		if a := ben.do(req).want(t, 200); strings.Contains(a.body, `name="page"`) != shown || strings.Contains(a.body, "secret") {
			t.Errorf("after %s:\n%s", path, a.body)
		}
	}
	ben.post("/feedback", url.Values{"message": {" "}}).want(t, 422, "Message is missing")
	ben.post("/feedback", url.Values{"message": {"Too many soups"}, "page": {"/list/x"}}).leads(t, `/feedback\?done=feedback`)
	w.guest().get("/feedback").leads(t, `/login.*`)
	body := ada.get("/admin/feedback").want(t, 200, "Too many soups", "/list/x", "<bdi>Ben</bdi>").body
	done := feedbackDone.FindString(body)
	ben.post(done, nil).want(t, 403)
	ada.post(done, nil).leads(t, `/admin/feedback\?done=finished`)
	ada.get("/admin/feedback").want(t, 200, "No new feedback")
	ada.get("/admin/feedback?state=done").want(t, 200, "Too many soups")
}

// The name of the community applies at once, on every page.
func TestAdminSettings(t *testing.T) {
	w := newWorld(t)
	ada := w.administrator()
	w.guest().get("/login").want(t, 200, "<title>Sign in · hearth</title>")
	ada.post("/admin/settings", url.Values{"communityName": {"Mill <Lane>"}, "signup": {"invite"}}).leads(t, `/admin/settings\?done=saved`)
	w.guest().get("/login").want(t, 200, "<title>Sign in · Mill &lt;Lane&gt;</title>")
	ada.get("/admin/settings").want(t, 200, `value="invite" checked`)
	ada.post("/admin/settings", url.Values{"communityName": {string(make([]byte, 3))}}).want(t, 422)
	ada.post("/admin/settings", url.Values{"communityName": {""}}).leads(t, `/admin/settings\?done=saved`)
	w.guest().get("/login").want(t, 200, "· hearth</title>")
}

// The setup names the community, and a picture and a color that cannot be used
// keep what was typed.
func TestSetup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.as(w.cast.Ada).get("/setup").want(t, http.StatusForbidden)
	w.as(w.cast.Ada).post("/setup", url.Values{"communityName": {"Hers"}}).want(t, http.StatusForbidden)
	b := w.claimed()
	b.get("/setup").want(t, 200, "Set up your community", `name="communityName"`, `<title>Set up your community · hearth</title>`)
	b.post("/setup", url.Values{"communityName": {"Mill Lane"}, "accent": {"other"}, "otherAccent": {" "}}).want(t, 422, "such as #a33b12")
	b.post("/setup", url.Values{"communityName": {"Mill Lane"}, "accent": {"other"}, "otherAccent": {"blue"}}).
		want(t, 422, `value="Mill Lane"`, `value="blue"`, "such as #a33b12")
	b.post("/setup", url.Values{"communityName": {"Mill Lane"}, "accent": {"#0b5c8a"}, "welcome": {"Bring a cup"}, "signup": {"invite"},
		"dateLanguage": {"de"}}).
		want(t, 200, `<title>Invite people · Mill Lane</title>`, "<bdi>Mill Lane</bdi> is ready", "/join/", "data:image/svg")
	w.guest().get("/").want(t, 200, `<span class="word one-line" dir="auto">Mill Lane</span>`, `href="/theme/0b5c8a.css"`, `data-dates="de"`)
	a := w.guest().get("/theme/0b5c8a.css").want(t, 200, "--accent:#0b5c8a;", "prefers-color-scheme:dark")
	if got := a.header.Get("Content-Type"); got != "text/css; charset=utf-8" {
		t.Errorf("the style sheet is %s", got)
	}
	w.guest().get("/theme/0b5c8a;x.css").want(t, 404)
	w.guest().get("/manifest.webmanifest").want(t, 200, `"name":"Mill Lane"`, `"start_url":"/"`)
	b.get("/admin/settings").want(t, 200, "Bring a cup")
	// What the setup does not ask for may change beside it.
	version := found(t, `name="version" value="([^"]+)"`, b.get("/setup").want(t, 200).body)
	b.post("/admin/settings", url.Values{"communityName": {"Mill Lane"}, "hasMemberInvites": {"yes"}}).leads(t, `/admin/settings\?done=saved`)
	b.post("/setup", url.Values{"communityName": {"Mill Lane"}, "version": {version}}).want(t, 200, `<title>Invite people`)
	b.post("/admin/settings", url.Values{"communityName": {"Mill Lane"}, "accent": {""}}).leads(t, `/admin/settings\?done=saved`)
	w.guest().get("/").want(t, 200, "Mill Lane").lacks(t, "/theme/")
	b.post("/admin/settings", url.Values{"communityName": {"Mill Lane"}, "securityContact": {"javascript:alert(1)"}}).want(t, 422,
		`id="securityContact-error"`, `value="javascript:alert(1)"`)
	w.guest().get("/").lacks(t, "Report a security problem")
	b.post("/admin/settings", url.Values{"communityName": {"Mill Lane"}, "securityContact": {"security@example.org"}}).leads(t,
		`/admin/settings\?done=saved`)
	for page, status := range map[string]int{"/": 200, "/people": 200, "/nothing": 404, "/admin/settings": 200} {
		b.get(page).want(t, status, `<a href="mailto:security@example.org">Report a security problem</a>`)
	}
	b.post("/admin/settings/picture", nil).want(t, 422, "Choose a picture first.")
}

// Somebody with an invitation joins with a name; the code leads to a page that asks for
// one. Without an invitation, an invited community says nothing about any address.
func TestJoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.administrator()
	admin.post("/admin/settings", url.Values{"communityName": {"Mill Lane"}, "signup": {"invite"}, "hasMemberInvites": {"yes"}})
	w.as(w.cast.Ben).get("/invitations").want(t, 200, "Only administrators can invite people here.")
	w.as(w.cast.Ben).post("/invitations", url.Values{"maxUses": {"5"}}).want(t, http.StatusForbidden)
	admin.get("/people").want(t, 200, `href="/invitations"`)
	admin.post("/invitations", url.Values{"maxUses": {"5000"}}).want(t, 422, "How many people can join must be")
	made := admin.post("/invitations", url.Values{"maxUses": {"5"}, "expiresInDays": {"1"}}).want(t, 200, "It is shown only now",
		"For 5 people")
	join := "/join/" + found(t, `/join/([\w-]+)`, made.body)
	w.guest().get(join).want(t, 200, "Mill Lane", "invites you to join", w.cast.Ada.Name)
	w.as(w.cast.Ben).get(join).want(t, 200, "You are already a member.")
	w.guest().get("/login").want(t, 200, "You need an invitation.")
	b := w.guest()
	b.post("/login", url.Values{"email": {"new@example.org"}}).leads(t, "/login/code")
	b.get("/login/code").want(t, 200, "has an account here or an invitation")
	if n := len(w.mails.mails); n != 0 {
		t.Fatalf("%d mails were sent", n)
	}
	b.get(join).want(t, 200, `name="email"`, "(optional)")
	b.post(join, url.Values{"name": {" "}}).want(t, 422, `id="name-error"`)
	b.post(join, url.Values{"name": {"Noor"}, "email": {"no address"}}).want(t, 422, `id="email-error"`, `value="Noor"`)
	b.post(join, url.Values{"name": {"Noor"}}).leads(t, "/home")
	b.get("/settings").want(t, 200, "Noor", "E-mail address</h2>").lacks(t, "users.invalid")
	if n := len(w.mails.mails); n != 0 {
		t.Errorf("%d mails were sent", n)
	}
	b.post(join, url.Values{"name": {"Noor"}}).want(t, 422, "You are already a member.")
	admin.get("/admin/people?q=Noor").want(t, 200).lacks(t, "users.invalid")
	admin.post(found(t, `action="(/invitations/[0-9a-f-]+/revoke)"`, admin.get("/invitations").want(t, 200, "For 4 people").body), nil).leads(t,
		`/invitations\?done=revoked-link`)
	w.guest().get(join).want(t, http.StatusGone, "This invitation no longer works")
	w.guest().post(join, url.Values{"name": {"Late"}}).want(t, http.StatusGone)
}

// Whoever joins may send a picture. What cannot be one keeps nobody out, and nobody can send files without a valid
// invitation. A form that is sent several times makes one account.
func TestJoinWithAPicture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.administrator()
	made := admin.post("/invitations", url.Values{"maxUses": {"5"}, "expiresInDays": {"1"}}).want(t, 200)
	join := "/join/" + found(t, `/join/([\w-]+)`, made.body)
	b, c := w.guest(), w.guest()
	b.send(join, url.Values{"name": {"Noor"}}, map[string]string{"me.png": pngFile(t, 4, 4)}).leads(t, "/home")
	b.get("/settings").want(t, 200, "Noor", `src="/api/pictures/`)
	c.send(join, url.Values{"name": {"Pia"}}, map[string]string{"me.png": "no picture"}).leads(t, `/settings\?done=joined#picture-title`)
	c.get("/settings?done=joined").want(t, 200, "Pia", "You have joined. The picture could not be used").lacks(t, `src="/api/pictures/`)
	w.guest().send("/join/nothing", url.Values{"name": {"Quin"}}, map[string]string{"me.png": pngFile(t, 4, 4)}).want(t, http.StatusGone)
	d := w.guest()
	form := with(d.get(join).want(t, 200).again(t, join).Values, "name", "Rosa")
	for _, a := range d.atOnce(join, form) {
		if a.status != http.StatusSeeOther && a.status != http.StatusUnprocessableEntity { // once it is signed in
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	admin.get("/invitations").want(t, 200, "For 2 people")
}

// Somebody who types an address while they join proves it in the browser where they joined: with the link, or with the
// code. In another browser, the link does not lead to their account.
func TestJoinWithAnAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.administrator()
	made := admin.post("/invitations", url.Values{"maxUses": {"5"}, "expiresInDays": {"1"}}).want(t, 200)
	join := "/join/" + found(t, `/join/([\w-]+)`, made.body)
	b := w.guest()
	b.post(join, url.Values{"name": {"Noor"}, "email": {"noor@example.org"}}).leads(t, `/home\?done=mailed`)
	b.get("/home?done=mailed").leads(t, `/chat\?done=mailed`)
	token := found(t, `/login/verify\?token=(\S+)`, w.mails.last(t).Text)
	verify := "/login/verify?token=" + token
	w.guest().get(verify).want(t, 200, "Have you joined in another browser?", `name="name"`).lacks(t, "Noor")
	b.get(verify).want(t, 200, "Confirm your address", "noor@example.org").lacks(t, `name="name"`)
	admin.post("/admin/settings", url.Values{"communityName": {"Mill Lane"}, "signup": {"invite"}})
	w.guest().get(verify).want(t, 200, "Have you joined in another browser?").lacks(t, `name="name"`, "Noor")
	b.post("/login/verify", url.Values{"token": {token}}).leads(t, `/settings\?done=proven`)
	b.get("/settings?done=proven").want(t, 200, "Address confirmed.", "noor@example.org").lacks(t, "E-mail address</h2>")

	c := w.guest()
	c.post(join, url.Values{"name": {"Pia"}}).leads(t, "/home")
	c.get("/login/code").leads(t, "/settings")
	c.post("/settings/email", url.Values{"email": {"no address"}}).want(t, 422, `id="email-error"`)
	c.post("/settings/email", url.Values{"email": {"pia@example.org"}}).leads(t, "/login/code")
	c.get("/login/code").want(t, 200, "We sent a link and a code to", "pia@example.org", "Confirm</button>")
	code := found(t, `(?s)code.*?\b(\d{6})\b`, w.mails.last(t).Text)
	c.post("/login/code", url.Values{"code": {code}}).leads(t, `/settings\?done=proven`)
	c.get("/settings").want(t, 200, "Pia", "pia@example.org")
}
