package app_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// logTry is a request, and what its line in the log has.
type logTry struct {
	name, who, request, cookie string
	status                     int
	want                       []string
}

// Every sign-in, failed sign-in, sign-out and refusal is one line of the log, which says
// when, what, with which outcome and, as far as it is known, who; not by which address,
// code, link, password or token.
func TestSignInsAndRefusalsAreLogged(t *testing.T) {
	w := newWorld(t)
	w.token("ada/read")
	w.token("ben")
	ada, ben, browser := w.cast.Ada.ID, w.cast.Ben.ID, w.cookie("cleo")
	link, _ := w.mailed("ada@example.org")
	_, code := w.mailed("ben@example.org")
	pageLink, _ := w.mailed("stranger@example.org")
	wrong := strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code)
	const verify, register = "POST /api/auth/magic-link/verify ", `{"email":"scout@example.org","password":"a planted password"}`
	const none = "00000000-0000-4000-8000-000000000000"
	tries := []logTry{
		{"a link", "anonymous", verify + `{"token":"` + link + `"}`, "", 200,
			[]string{"op=VerifyMagicLink", "kind=anonymous", "signed_in=" + ada}},
		{"a link that was used", "anonymous", verify + `{"token":"` + link + `"}`, "", 400, []string{"op=VerifyMagicLink", "kind=anonymous"}},
		{"a wrong code", "anonymous", verify + `{"email":"ben@example.org","code":"` + wrong + `"}`, "", 400, []string{"op=VerifyMagicLink"}},
		{"a code", "anonymous", verify + `{"email":"ben@example.org","code":"` + code + `"}`, "", 200,
			[]string{"op=VerifyMagicLink", "signed_in=" + ben}},
		{"a link on a page", "anonymous", "POST /login/verify token=" + pageLink, "", 303,
			[]string{`op="POST /login/verify"`, "signed_in=" + w.cast.Stranger.ID}},
		{"a used link on a page", "anonymous", "POST /login/verify token=" + pageLink, "", 410,
			[]string{`op="POST /login/verify"`, "kind=anonymous"}},
		{"an agent's account", "anonymous", "POST /api/register-agent " + register, "", 201, []string{"op=RegisterAgent", "signed_in="}},
		{"a password", "anonymous", "POST /api/auth/login " + register, "", 200, []string{"op=Login", "signed_in="}},
		{"a wrong password", "anonymous", "POST /api/auth/login " + strings.Replace(register, "planted", "guessed", 1), "", 401,
			[]string{"op=Login", "kind=anonymous"}},
		{"the bridge", "bridge", `POST /api/auth/bridge-exchange {"app":"social","email":"ben@example.org"}`, "", 201,
			[]string{"op=BridgeExchange", "kind=bridge", "signed_in=" + ben}},
		{"no credential", "anonymous", "GET /api/auth/me", "", 401, []string{"op=GetMe", "kind=anonymous"}},
		{"a forged key", "bad", "GET /api/auth/me", "", 401, []string{"op=GetMe", "kind=anonymous"}},
		{"a forged key for a tool", "bad", "POST /mcp {}", "", 401, []string{"op=MCP"}},
		{"a missing scope", "ada/read", `POST /api/lists {"title":"Planted title"}`, "", 403,
			[]string{"op=CreateList", "kind=agent", "user=" + ada}},
		{"no administrator", "ben", "GET /api/admin/overview", "", 403, []string{"op=GetOverview", "kind=human", "user=" + ben}},
		{"what others have", "ben", "GET /api/chat/conversations/" + none, "", 404, []string{"kind=human", "user=" + ben}},
		{"no administrator on a page", "anonymous", "GET /admin", browser, 403, []string{`op="GET /admin"`, "user=" + w.cast.Cleo.ID}},
		{"a sign-out on a page", "anonymous", "POST /logout x=", browser, 303, []string{`op="POST /logout"`, "user=" + w.cast.Cleo.ID}},
		{"a sign-out", "ben", "POST /api/auth/logout", "", 204, []string{"op=Logout", "kind=human", "user=" + ben}},
		{"after a sign-out", "ben", "GET /api/auth/me", "", 401, []string{"op=GetMe", "kind=anonymous"}},
	}
	never := regexp.MustCompile(strings.Join([]string{link, code, wrong, pageLink, "example.org", "planted", "guessed", "Planted", "Bearer",
		w.tokens["bad"], w.tokens["ada/read"], w.tokens["ben"], browser, none, `192\.0\.2\.7`}, "|"))
	for _, try := range tries {
		w.wantLine(try, never)
	}
}

// wantLine checks that a request has exactly one line in the log, with what it is to have.
func (w *world) wantLine(try logTry, never *regexp.Regexp) {
	w.t.Helper()
	method, rest, _ := strings.Cut(try.request, " ")
	path, body, _ := strings.Cut(rest, " ")
	h := http.Header{"Content-Type": {"application/json"}}
	if path == "/mcp" {
		h = mcpHeader()
	}
	if !strings.HasPrefix(body, "{") {
		h.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if try.cookie != "" {
		h.Set("Cookie", try.cookie)
	}
	w.log.Reset()
	if res := w.do(try.who, method, path, h, body); res.status != try.status {
		w.t.Errorf("%s: got %d, want %d: %s", try.name, res.status, try.status, res.body)
	}
	line := w.log.String()
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, " msg=request ") {
		w.t.Errorf("%s has not one line in the log: %q", try.name, line)
	}
	at, _, _ := strings.Cut(strings.TrimPrefix(line, "time="), " ")
	if _, err := time.Parse(time.RFC3339Nano, at); err != nil {
		w.t.Errorf("%s: the time is %q: %v", try.name, at, err)
	}
	for _, want := range append(try.want, "level=INFO", fmt.Sprint("status=", try.status), "method="+method, "request=") {
		if !strings.Contains(line, " "+want) {
			w.t.Errorf("%s: no %s in %s", try.name, want, line)
		}
	}
	if try.status >= 400 && strings.Contains(line, "signed_in=") {
		w.t.Errorf("%s is logged as a sign-in: %s", try.name, line)
	}
	if found := never.FindString(line); found != "" {
		w.t.Errorf("%s: %q is in the log: %s", try.name, found, line)
	}
}

// mailed has a sign-in mail sent, and returns its link's token and its code.
func (w *world) mailed(email string) (token, code string) {
	w.t.Helper()
	w.log.Reset()
	w.want("anonymous", "POST", "/api/auth/magic-link", `{"email":"`+email+`"}`, 202, "")
	link, digits := mailToken.FindStringSubmatch(w.log.String()), mailCode.FindStringSubmatch(w.log.String())
	if link == nil || digits == nil {
		w.t.Fatalf("no mail to %s: %s", email, w.log)
	}
	return link[1], digits[1]
}
