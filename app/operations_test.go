package app_test

import (
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"hearth/app"
	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/api"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/domain"
	"hearth/app/file"
	"hearth/app/lane"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/app/op"
	"hearth/app/people"
	"hearth/app/social"
	"hearth/store"
	"hearth/store/storetest"
)

// operationsOf returns the operations of all packages, a struct of each.
func operationsOf() []any {
	s := domain.Described()
	return []any{s.Account.Operations, s.Chat.Operations, s.List.Operations, s.Admin.Operations, s.People.Operations, s.Lane.Operations,
		s.Social.Operations}
}

// infosOf returns the infos of all operations, of routes and of pages.
func infosOf() (all []*op.Info) {
	for _, r := range api.Described() {
		all = append(all, r.Op.Info())
	}
	for _, ops := range operationsOf() {
		for _, f := range reflect.ValueOf(ops).Fields() {
			all = append(all, f.Elem().FieldByName("Op").Interface().(*op.Operation).Info())
		}
	}
	return all
}

// Every operation that a package declares is defined, with a summary in the
// common form and a unique name.
func TestOperationsAreDefined(t *testing.T) {
	summary := regexp.MustCompile(`^[A-Z][^.]*[^.]$`)
	names := map[string]bool{}
	for _, ops := range operationsOf() {
		v := reflect.ValueOf(ops)
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if v.Field(i).IsNil() {
				t.Errorf("%s.%s is not defined", v.Type(), field.Name)
				continue
			}
			info := v.Field(i).Elem().FieldByName("Op").Interface().(*op.Operation).Info()
			if !summary.MatchString(info.Summary) {
				t.Errorf("%s: the summary %q is not a phrase without a full stop", field.Name, info.Summary)
			}
			if names[info.Name] {
				t.Errorf("two operations are named %s", info.Name)
			}
			names[info.Name] = true
			checkLimits(t, info)
		}
	}
	for _, r := range api.Described() {
		checkLimits(t, r.Op.Info())
	}
}

// unguarded are the exported methods of services that act for a caller and are no
// operations, with who checks that the caller may call them.
var unguarded = map[string]string{
	"account.Caller":       "it identifies the caller",
	"account.TokenCaller":  "it identifies the caller",
	"account.BridgeCaller": "it identifies the caller",
	"account.Used":         "it counts what an operation did",
	"account.Watching":     "it notes an admitted stream",
	"account.Renew":        "the pages, which know the viewer of the session",
	"account.ShowLink":     "the token; the viewer is only compared with its account",
	"account.Export":       "the route, with its guard",
	"list.Export":          "the route, with its guard",
	"list.ListOf":          "the operations of the tools for items",
	"list.Watcher":         "the operations of presence",
	"list.CheckItem":       "the operations of presence",
	"chat.Reply":           "the operation that replies to a Story",
	"chat.SameFiles":       "the operations that uploaded the files and found the message",
	"people.Readable":      "the page of a new conversation, for people with an account",
	"file.SaveAttachment":  "the operation that uploads",
	"file.SaveAvatar":      "the operations that upload",
	"file.Begin":           "the operations that upload",
	"live.Subscribe":       "the routes of streams, with their guards",
	"live.ServePage":       "itself: it needs a signed-in viewer, and has only their own events",
	"live.Hold":            "the MCP server, which has authenticated the caller; no events come with it",
}

// What services do for a caller is done by operations, which have a guard; other
// methods are few, and each is reached only through one that has.
func TestReadersHaveGuards(t *testing.T) {
	found := map[string]bool{}
	for _, service := range []any{&account.Service{}, &chat.Service{}, &list.Service{}, &admin.Service{}, &people.Service{}, &lane.Service{},
		&social.Service{}, &file.Store{}, &live.Hub{}} {
		typ := reflect.TypeOf(service)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			name := path.Base(typ.Elem().PkgPath()) + "." + m.Name
			for n := range m.Type.NumIn() + m.Type.NumOut() {
				if n < m.Type.NumIn() && m.Type.In(n) == reflect.TypeFor[store.Viewer]() || n >= m.Type.NumIn() &&
					m.Type.Out(n-m.Type.NumIn()) == reflect.TypeFor[store.Viewer]() {
					found[name] = true
				}
			}
			if found[name] && unguarded[name] == "" {
				t.Errorf("%s acts for a caller without a guard: make it an operation, or say in the table what checks the caller", name)
			}
		}
	}
	for name := range unguarded {
		if !found[name] {
			t.Errorf("%s is in the table and is no such method", name)
		}
	}
}

// checkLimits checks that a write has a limit for those who have no account, where they
// may call it. The bridge has a secret.
func checkLimits(t *testing.T, info *op.Info) {
	t.Helper()
	if info.Hints.Has(op.ReadOnly) || info.Guard == op.Bridge {
		return
	}
	open := info.Guard.Check(store.Viewer{}, info.Hints) == nil || info.Guard.Check(store.Viewer{Kind: store.PublicKey}, info.Hints) == nil
	if open && len(info.Limits) == 0 {
		t.Errorf("%s can be called without an account and has no limit for that", info.Name)
	}
}

// storesNothing are the writes that a server without storage carries out, with the reason:
// they add nothing that stays, or people need them then.
var storesNothing = map[string][]string{
	"it signs in or out": {"RequestMagicLink", "VerifyMagicLink", "RedeemForPage", "AcceptInvitation", "JoinForPage", "Login", "StartClaim",
		"Claim", "BridgeExchange", "CreateToken", "CreateSignInLink", "Logout", "EndSession", "EndAllSessions"},
	"it deletes or ends something": {
		"DeleteMe", "DeleteAvatar", "DeleteBot", "DeleteSecretaryAnswer", "DeleteGroupPicture", "DeleteCommunityPicture", "DeleteMessage",
		"DeleteWebhook", "DeleteSubscription", "DeleteList", "DeleteItem",
		"DeleteComment", "DeleteByReceipt", "DeleteMember", "DeleteThought", "DeleteContextPost", "RemoveParticipant", "RemoveFriend",
		"RevokeInvitation", "RevokeInvite", "RevokeAgentKey",
		"RevokeListKey", "RejectItem", "CancelFriend", "DeclineFriend", "UpdateIntent", "FinishFeedback",
	},
	"it undoes what was refused otherwise": {"Unreact", "Unstar", "UnpinThought", "UnblockUser"},
	"it rewrites what is there": {"UpdateMe", "SetStatus", "UpdateAgentKey", "UpdateBot", "UpdateConversation",
		"UpdateWebhook", "UpdateList", "UpdateCard", "UpdateDraft", "AnswerRequest"},
	"it protects somebody": {"BlockUser", "Report", "ReportContextPost", "RotateCard", "SetNotify",
		"UpdatePreferences", "UpdateNotifications"},
	"it answers what waits, once": {"AcceptFriend", "RespondMatch"},
	"it changes who may do what, or a state": {"UpdateParticipant", "PutMember", "HandOver", "UpdateSecretary", "UpdateStory",
		"UpdateIntention", "SetContextPreference", "CollapseEntry", "MarkRead", "SeeStories"},
	"it is for administrators, who make room": {"SuspendAccount", "RestoreAccount", "PromoteAccount", "DemoteAccount", "DecideReport",
		"UpdateSettings", "SetDefault"},
	"it is shown or sent, and not stored, or not long": {"ShowTyping", "SetTyping", "LogError", "TestWebhook", "TestSubscription",
		"SetInView"},
}

// A server without storage refuses every write that adds content, or says why not.
func TestWritesNeedStorage(t *testing.T) {
	reasons := map[string]string{}
	for reason, names := range storesNothing {
		for _, name := range names {
			reasons[name] = reason
		}
	}
	writes := map[string]bool{}
	for _, info := range infosOf() {
		if info.Hints.Has(op.ReadOnly) {
			continue
		}
		writes[info.Name] = true
		switch reason := reasons[info.Name]; {
		case !info.Hints.Has(op.Stores) && reason == "":
			t.Errorf("%s: set op.Stores, or say in the table why it needs no storage", info.Name)
		case info.Hints.Has(op.Stores) && reason != "":
			t.Errorf("%s needs storage and is in the table: %s", info.Name, reason)
		}
	}
	for name := range reasons {
		if !writes[name] {
			t.Errorf("%s is in the table and is no write", name)
		}
	}
}

// The input of a write bounds what it stores and touches. Every text and every list has
// a maximum length; all bodies share one maximum size.
func TestInputsOfWritesAreBounded(t *testing.T) {
	const maxElements = 500 // of lists; each element can be a row
	var check func(t *testing.T, name string, fields []*core.Field, times int)
	check = func(t *testing.T, name string, fields []*core.Field, times int) {
		for _, f := range fields {
			at, elements := name+" "+f.Name, times
			if f.Class == core.List {
				if f.Max == nil || *f.Max*float64(times) > maxElements {
					t.Errorf("%s: the list has no bound of at most %d elements", at, maxElements)
					continue
				}
				elements *= int(*f.Max)
				f = f.Element
			}
			if (f.Class == core.Text || f.Class == core.Value) && f.Max == nil && len(f.Enum) == 0 && f.Format != "uuid" && f.Place != core.InPath {
				t.Errorf("%s has no greatest length", at)
			}
			if f.Class == core.Object {
				check(t, at, f.Object.Fields, elements)
			}
		}
	}
	for _, r := range api.Described() {
		if info := r.Op.Info(); !info.Hints.Has(op.ReadOnly) {
			check(t, info.Name, info.Plan.Fields, 1)
		}
	}
}

// newLimitedWorld is newWorld with the rates of writes, and without canaries.
func newLimitedWorld(t *testing.T) *world {
	t.Helper()
	w := &world{clock: store.NewManualClock(storetest.Epoch), ids: map[string]string{}, tokens: map[string]string{},
		canaries: map[string][]string{}}
	w.start(t, filepath.Join(t.TempDir(), "hearth.db"), func(c *app.Config) { c.NoRateLimits = false })
	w.cast = storetest.People(t, &storetest.DB{DB: w.app.DB(), Clock: w.clock})
	for name, u := range map[string]store.User{"ada": w.cast.Ada, "ben": w.cast.Ben, "cleo": w.cast.Cleo, "stranger": w.cast.Stranger} {
		w.ids["$id:"+name] = u.ID
	}
	return w
}

// Nobody writes more often than an account may, however the request is made: 300
// writes at once and then two a second, fewer signs of typing and more marks of what
// was read. Others are not affected.
func TestRatesOfWrites(t *testing.T) {
	w := newLimitedWorld(t)
	conversation := idIn(t, w.want("ada", "POST", "/api/chat/conversations", `{"participantIds":["`+w.cast.Ben.ID+`"],"type":"group"}`, 201,
		"").body)
	list := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"L","visibility":"public-edit"}`, 201, "").body)
	inChat, ofList := "/api/chat/conversations/"+conversation, "/api/lists/"+list
	for _, tc := range []struct {
		request string
		status  int
		burst   int
		wait    string
	}{
		{"POST " + inChat + `/messages {"content":"x"}`, 201, 300, "500ms"},
		{"POST " + ofList + `/items {"content":"x"}`, 201, 300, "500ms"},
		{"POST " + inChat + "/typing", 204, 30, "1s"},
		{"PATCH " + inChat + "/read", 200, 300, "100ms"},
		{`PATCH /api/auth/me {"name":"Ada"}`, 200, 300, "500ms"},
	} {
		w.turnClock("150s") // all are there again
		for n := range tc.burst {
			if res := w.request("ada", tc.request); res.status != tc.status {
				t.Fatalf("%s, the %dth time: %d %s", tc.request, n+1, res.status, res.body)
			}
		}
		before := w.state()
		w.limitReached("ada", tc.request, 429, "too_many_requests")
		if w.state() != before {
			t.Errorf("%s was refused but changed the database", tc.request)
		}
		w.turnClock(tc.wait)
		if res := w.request("ada", tc.request); res.status != tc.status {
			t.Errorf("%s, after %s: %d %s", tc.request, tc.wait, res.status, res.body)
		}
		w.limitReached("ada", tc.request, 429, "too_many_requests")
	}
	w.want("ben", "POST", inChat+"/messages", `{"content":"x"}`, 201, "")
	for range 29 {
		w.want("ada", "POST", inChat+"/typing", "", 204, "")
	}
	w.want("ada", "POST", "/api/list/"+list+"/presence", `{"typing":true}`, 200, "") // counts as typing in a conversation
	w.limitReached("ada", "POST "+inChat+"/typing", 429, "too_many_requests")
}
