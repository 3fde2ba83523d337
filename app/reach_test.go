package app_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hearth/app/api"
	"hearth/app/core"
	"hearth/store"
)

const inYears = "2098-01-01T00:00:00Z"

// reaching are the requests of a stranger that name another account, $id:quiet, and
// what they are answered with once the stranger has found it by its address: 0 if
// that makes no difference.
var reaching = map[string]struct {
	request string
	found   int
}{
	"POST /api/chat/conversations": {`POST /api/chat/conversations {"participantIds":["$id:quiet"]}`, 201},
	"POST /api/chat/conversations/{id}/participants": {`POST /api/chat/conversations/$id:mine/participants {"userId":"$id:quiet"}`,
		201},
	"PATCH /api/chat/conversations/{id}/participants/{userId}": {
		`PATCH /api/chat/conversations/$id:mine/participants/$id:quiet {"role":"owner"}`, 0},
	"DELETE /api/chat/conversations/{id}/participants/{userId}": {`DELETE /api/chat/conversations/$id:mine/participants/$id:quiet`, 0},
	"POST /api/chat/users/{id}/block":                           {`POST /api/chat/users/$id:quiet/block`, 0},
	"DELETE /api/chat/users/{id}/block":                         {`DELETE /api/chat/users/$id:quiet/block`, 0},
	"POST /api/chat/reports": {
		`POST /api/chat/reports {"targetType":"user","targetId":"$id:quiet","reason":"spam"}`, 0},
	"GET /api/friends/users/{id}":              {`GET /api/friends/users/$id:quiet`, 200},
	"POST /api/friends/users/{id}/request":     {`POST /api/friends/users/$id:quiet/request`, 200},
	"POST /api/friends/users/{id}/accept":      {`POST /api/friends/users/$id:quiet/accept`, 409},
	"POST /api/friends/users/{id}/decline":     {`POST /api/friends/users/$id:quiet/decline`, 409},
	"POST /api/friends/users/{id}/cancel":      {`POST /api/friends/users/$id:quiet/cancel`, 409},
	"POST /api/friends/users/{id}/remove":      {`POST /api/friends/users/$id:quiet/remove`, 409},
	"PUT /api/lists/{id}/members/{user_id}":    {`PUT /api/lists/$id:mylist/members/$id:quiet {"role":"viewer"}`, 0},
	"DELETE /api/lists/{id}/members/{user_id}": {`DELETE /api/lists/$id:mylist/members/$id:quiet`, 0},
	"PUT /api/lists/{id}/owner":                {`PUT /api/lists/$id:mylist/owner {"user_id":"$id:quiet"}`, 0},
	"POST /api/intents": {
		`POST /api/intents {"kind":"ask","terms":"x","confirm":true,"audience":{"userIds":["$id:quiet"],"conversationIds":[]}}`, 201},
	"POST /api/stories": {
		`POST /api/stories {"confirm":false,"text":"x","audience":{"userIds":["$id:quiet"],"conversationIds":[]},` +
			`"storyExpiresAt":"` + inYears + `"}`, 200},
	"POST /api/intent-drafts/{id}/activate": {
		`POST /api/intent-drafts/$id:draft/activate {"confirm":false,"quietSearch":{"enabled":true,"expiresAt":"` + inYears +
			`","audience":{"userIds":["$id:quiet"],"conversationIds":[]}}}`, 200},
}

// Who is found by their address alone is reached by those who searched for it, and
// by nobody who has only read their id where it is public: every request that takes
// it is answered as for an id of nobody.
func TestIDReachesNobody(t *testing.T) {
	w := newWorld(t)
	w.addAccount("quiet", "email_only")
	w.capture("quiet", `POST /api/lists {"title":"Theirs","visibility":"public"}`, "theirs")
	w.capture("stranger", `POST /api/chat/conversations {"participantIds":["$id:cleo"],"type":"group"}`, "mine")
	w.capture("stranger", `POST /api/lists {"title":"Mine"}`, "mylist")
	w.capture("stranger", `POST /api/intent-drafts {"goal":"A ladder"}`, "draft")
	w.want("stranger", "GET", "/api/lists/$id:theirs", "", 200, `"owner_id":"`+w.ids["$id:quiet"]+`"`)

	real := w.ids["$id:quiet"]
	plain := func(id string, res response) string { return strings.ReplaceAll(sameResponse(res), id, "<id>") }
	for _, route := range slices.Sorted(maps.Keys(reaching)) {
		request := reaching[route].request
		before := w.state()
		theirs := w.request("stranger", request)
		if w.state() != before {
			t.Errorf("%s changed the database", request)
		}
		w.ids["$id:quiet"] = store.NewID()
		if got, want := plain(real, theirs), plain(w.ids["$id:quiet"], w.request("stranger", request)); got != want || theirs.status < 400 {
			t.Errorf("%s: the account is reached by its id:\n%s\nand that of nobody:\n%s", request, got, want)
		}
		w.ids["$id:quiet"] = real
	}
	if w.mayRead("stranger", real) {
		t.Error("the page of the account is reached by its id")
	}
	w.want("stranger", "GET", "/api/people?q=quiet@example.org", "", 200, real)
	db := w.snapshot()
	if !w.mayRead("stranger", real) {
		t.Error("the page of an account that was found is missing")
	}
	for _, route := range slices.Sorted(maps.Keys(reaching)) {
		if r := reaching[route]; r.found != 0 {
			c := w.copy(t, db)
			if res := c.request("stranger", r.request); res.status != r.found {
				t.Errorf("%s, once the account is found: %d %s", r.request, res.status, res.body)
			}
		}
	}
	w.want("cleo", "POST", "/api/friends/users/$id:quiet/request", "", 404, "not_found") // it was found by the stranger alone
	w.want("quiet", "PATCH", "/api/auth/me", `{"discoveryMode":"hidden"}`, 200, "")
	w.want("stranger", "POST", "/api/friends/users/$id:quiet/request", "", 404, "not_found")
}

// Every operation that takes the id of an account is among those that are tested.
func TestIDsOfAccountsAreTested(t *testing.T) {
	var named func(fields []*core.Field) bool
	named = func(fields []*core.Field) bool {
		return slices.ContainsFunc(fields, func(f *core.Field) bool {
			if f.Class == core.List {
				return slices.Contains([]string{"userIds", "participantIds"}, f.Name) || f.Element.Class == core.Object &&
					named(f.Element.Object.Fields)
			}
			return slices.Contains([]string{"userId", "user_id", "targetId"}, f.Name) || f.Class == core.Object && named(f.Object.Fields)
		})
	}
	ofAccount := regexp.MustCompile(`/(users|people)/\{id\}|\{user_?[iI]d\}`)
	for _, r := range api.Described() {
		info, route := r.Op.Info(), r.Method+" "+r.Path
		if strings.HasPrefix(r.Path, "/api/admin/") || info.Plan == nil {
			continue
		}
		if _, ok := reaching[route]; !ok && (ofAccount.MatchString(r.Path) || named(info.Plan.Fields)) {
			t.Errorf("%s takes the id of an account and has no line in reaching", route)
		}
	}
}

// addAccount creates an account that is found as mode says, and stores its id under
// its name.
func (w *world) addAccount(name, mode string) {
	w.t.Helper()
	err := w.app.DB().Write(w.t.Context(), func(tx *store.Tx) error {
		u, err := tx.InsertUser(store.User{Email: name + "@example.org", Name: "Account", DiscoveryMode: mode, VerifiedAt: tx.Now,
			SignupProvider: "magic-link"})
		w.ids["$id:"+name] = u.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// capture sends a request that creates an object and stores its id under name.
func (w *world) capture(who, request, name string) {
	w.t.Helper()
	res := w.request(who, request)
	if res.status != 201 {
		w.t.Fatalf("%s %s: %d %s", who, request, res.status, res.body)
	}
	w.ids["$id:"+name] = idIn(w.t, res.body)
}

// mayRead reports whether one of the cast sees the page of an account.
func (w *world) mayRead(who, id string) (ok bool) {
	w.t.Helper()
	err := w.app.DB().Read(w.t.Context(), func(r *store.Reader) (err error) {
		ok, err = r.MayRead(store.Viewer{Kind: store.Human, UserID: w.ids["$id:"+who]}, id)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return ok
}
