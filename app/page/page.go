// Package page is the HTML door: forms, sessions and page values over the
// same operations the JSON door calls. Every form is a plain POST that ends
// in a redirect or in the same form with its error, so that everything works
// without scripts.
package page

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/web"
)

// Config is what pages are made from.
type Config struct {
	Account   *account.Service
	Chat      *chat.Service
	List      *list.Service
	BaseURL   string // what links and the examples for agents begin with
	PublicKey string // the published agent key
	MailToLog bool   // the server sends no mail; its log has the links
	Log       *slog.Logger
	Now       func() time.Time  // the wall clock; time.Now
	Stack     *middleware.Stack // shared with the other transports; one of its own if nil
}

// site is the door.
type site struct {
	Config
	views *views
}

// Frame is what every page needs around its content.
type Frame struct {
	Title  string
	Layout string  // "" (one column), "narrow" (a single form) or "chat"
	Here   string  // the part of the site: "lists", "chat", "settings", "login"
	Me     *Person // nil for a guest
	Unread int     // unread messages of all conversations
	Path   string  // where signing in leads back to
	Done   string  // what was just done, as a sentence
}

// New returns the handler of all pages and of what they load from /static/.
func New(cfg Config) (http.Handler, error) {
	assets, err := web.NewAssets()
	if err != nil {
		return nil, err
	}
	s := &site{Config: cfg}
	if s.views, err = newViews(assets); err != nil {
		return nil, err
	}
	if s.Log == nil {
		s.Log = slog.Default()
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Stack == nil {
		if s.Stack, err = middleware.New(middleware.Config{BaseURLs: []string{s.BaseURL}, Log: s.Log, Now: s.Now}); err != nil {
			return nil, err
		}
	}
	s.BaseURL = strings.TrimRight(s.BaseURL, "/")
	mux := http.NewServeMux()
	mux.Handle("GET /static/", assets)
	s.lists(mux)
	s.chats(mux)
	s.accounts(mux)
	s.settings(mux)
	mux.Handle("/", s.open(notFound))
	return s.Stack.Handler(s.recorded(mux), func(w http.ResponseWriter, r *http.Request, err error) {
		s.fail(&visit{w: w, r: r}, err)
	}), nil
}

func (s *site) lists(mux *http.ServeMux) {
	mux.Handle("GET /{$}", s.open(listIndex))
	mux.Handle("GET /list/new", s.person(listNew))
	mux.Handle("POST /list/new", s.person(listCreate))
	mux.Handle("GET /list/{id}", s.open(listShow))
	mux.Handle("POST /list/{id}", s.person(itemAdd))
	mux.Handle("GET /list/{id}/edit", s.person(listEdit))
	mux.Handle("POST /list/{id}/edit", s.person(listUpdate))
	mux.Handle("POST /list/{id}/delete", s.person(listDelete))
	mux.Handle("GET /list/{id}/people", s.person(listPeople))
	mux.Handle("POST /list/{id}/people", s.person(listShare))
	mux.Handle("POST /list/{id}/people/{user}/remove", s.person(listUnshare))
	mux.Handle("POST /list/{id}/leave", s.person(listLeave))
	mux.Handle("GET /list/{id}/item/{item_id}", s.open(itemShow))
	mux.Handle("POST /list/{id}/item/{item_id}", s.person(itemUpdate))
	mux.Handle("POST /list/{id}/item/{item_id}/move", s.person(itemMove))
	mux.Handle("POST /list/{id}/item/{item_id}/delete", s.person(itemDelete))
}

func (s *site) chats(mux *http.ServeMux) {
	mux.Handle("GET /chat", s.person(chatIndex))
	mux.Handle("GET /chat/new", s.person(chatNew))
	mux.Handle("POST /chat/new", s.person(chatCreate))
	mux.Handle("POST /chat/invite", s.person(inviteAccept))
	mux.Handle("POST /chat/{id}/invite", s.person(inviteCreate))
	mux.Handle("GET /chat/{id}", s.person(chatShow))
	mux.Handle("POST /chat/{id}", s.person(chatSend))
	mux.Handle("POST /chat/{id}/message/{message}", s.person(chatEdit))
	mux.Handle("POST /chat/{id}/message/{message}/delete", s.person(chatDelete))
	mux.Handle("GET /chat/{id}/{part}", s.person(chatPart))
	mux.Handle("POST /chat/{id}/people", s.person(chatAdd))
	mux.Handle("POST /chat/{id}/people/{user}/remove", s.person(chatRemove))
	mux.Handle("POST /chat/{id}/people/{user}/owner", s.person(chatOwner))
	mux.Handle("POST /chat/{id}/title", s.person(chatRename))
	mux.Handle("POST /chat/{id}/mute", s.person(chatMute))
	mux.Handle("POST /chat/{id}/leave", s.person(chatLeave))
}

func (s *site) accounts(mux *http.ServeMux) {
	mux.Handle("GET /login", s.open(login))
	mux.Handle("POST /login", s.open(loginSend))
	mux.Handle("GET /login/code", s.open(loginCode))
	mux.Handle("POST /login/code", s.open(loginCodeSend))
	mux.Handle("GET /login/verify", s.open(loginVerify))
	mux.Handle("POST /login/verify", s.open(loginVerifySend))
	mux.Handle("POST /logout", s.open(logout))
	mux.Handle("GET /claim", s.open(claim))
	mux.Handle("POST /claim", s.open(claimSend))
}

func (s *site) settings(mux *http.ServeMux) {
	mux.Handle("GET /settings", s.person(settings))
	mux.Handle("POST /settings/profile", s.person(settingsProfile))
	mux.Handle("POST /settings/status", s.person(settingsStatus))
	mux.Handle("POST /settings/presence", s.person(settingsPresence))
	mux.Handle("GET /settings/sessions", s.person(sessions))
	mux.Handle("POST /settings/sessions/end", s.person(sessionsEnd))
	mux.Handle("POST /settings/sessions/{id}/end", s.person(sessionEnd))
	mux.Handle("GET /settings/api-keys", s.person(keys))
	mux.Handle("POST /settings/api-keys", s.person(keyCreate))
	mux.Handle("POST /settings/api-keys/{id}", s.person(keyUpdate))
	mux.Handle("POST /settings/api-keys/{id}/revoke", s.person(keyRevoke))
}

func notFound(*site, *visit) error { return core.ErrNotFound }
