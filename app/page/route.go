package page

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"hearth/app/core"
)

type route struct {
	pattern  string // method and path, as in http.ServeMux
	guard    guard
	handle   func(s *site, v *visit) error
	template string // the page that it shows, also with an error; "" if it only redirects
}

// fresh returns the handler of a page with a form that nobody has filled in yet.
func fresh(show func(*site, *visit, Form) error) func(*site, *visit) error {
	return func(s *site, v *visit) error { return show(s, v, Form{}) }
}

type guard uint8

const (
	anyone   guard = iota
	bearer         // anyone, with any or no session: the form has a secret or signs in
	person         // a signed-in person; guests are redirected to the sign-in page
	importer       // as person; the form may have a text file
	public         // anyone; all guests get the same page, with an ETag, until a list changes
	forms          // as public; a key may read the other formats of a list
)

func (g guard) needsAccount() bool { return g == person || g == importer }

// routes returns all pages. The mux, the templates and the tests of all pages use this table.
func routes() []route {
	return slices.Concat(listRoutes(), chatRoutes(), thoughtRoutes(), accountRoutes(), settingsRoutes(), peopleRoutes(), askRoutes(),
		draftRoutes(), storyRoutes(), reviewRoutes(), adminRoutes(), invitationRoutes(), []route{
			{"GET /docs", anyone, docsIndex, "docs"},
			{"GET /docs/{name}", anyone, docsShow, "docs"},
			{"GET /theme/{accent}", anyone, themeShow, ""},
			{"GET /manifest.webmanifest", anyone, manifest, ""},
			{"/", anyone, notFound, errorPage},
		})
}

func listRoutes() []route {
	return []route{
		{"GET /{$}", public, listIndex, "list_index"},
		{"GET /list/search", anyone, listSearch, "list_search"},
		{"GET /list/new", person, listNew, "list_new"},
		{"POST /list/new", person, listCreate, "list_new"},
		{"GET /list/import", person, listImport, "list_import"},
		{"POST /list/import", importer, listImportSend, "list_import"},
		{"GET /list/{id}", forms, listShow, "list"},
		{"POST /list/{id}", anyone, itemAdd, "list"},
		{"GET /list/{id}/feed.atom", forms, listFeedAtom, ""},
		{"GET /list/{id}/feed.json", forms, listFeedJSON, ""},
		{"GET /list/{id}/queue", person, fresh((*site).showQueue), "list_queue"},
		{"POST /list/{id}/queue/{item_id}/approve", person, itemApprove, "list_queue"},
		{"POST /list/{id}/queue/{item_id}/reject", person, itemReject, "list_queue"},
		{"GET /receipt/{receipt}", anyone, fresh((*site).showReceipt), "receipt"},
		{"POST /receipt/{receipt}", bearer, receiptUpdate, "receipt"},
		{"POST /receipt/{receipt}/withdraw", bearer, receiptWithdraw, ""},
		{"GET /sitemap.xml", public, sitemap, ""},
		{"GET /list/{id}/items", public, listItems, "list_items"},
		{"GET /list/{id}/edit", person, fresh((*site).showListEdit), "list_edit"},
		{"POST /list/{id}/edit", person, listUpdate, "list_edit"},
		{"POST /list/{id}/delete", person, listDelete, ""},
		{"GET /list/{id}/people", person, fresh((*site).showListPeople), "list_people"},
		{"POST /list/{id}/people", person, listShare, "list_people"},
		{"POST /list/{id}/people/{user}/remove", person, listUnshare, "list_people"},
		{"POST /list/{id}/people/{user}/owner", person, listHandOver, "list_people"},
		{"POST /list/{id}/leave", person, listLeave, ""},
		{"GET /list/{id}/item/{item_id}", public, itemShow, "list_item"},
		{"POST /list/{id}/item/{item_id}", person, itemUpdate, "list_item"},
		{"POST /list/{id}/item/{item_id}/move", person, itemMove, "list_item"},
		{"POST /list/{id}/item/{item_id}/delete", person, itemDelete, ""},
		{"POST /list/{id}/item/{item_id}/check", person, itemCheck, ""},
		{"POST /list/{id}/item/{item_id}/star", person, itemStar, ""},
		{"POST /list/{id}/item/{item_id}/comments", person, itemComment, "list_item"},
		{"POST /list/{id}/item/{item_id}/comments/{comment_id}/delete", person, itemUncomment, ""},
	}
}

func chatRoutes() []route {
	return []route{
		{"GET /chat", person, chatIndex, "chat_index"},
		{"GET /search", person, search, "search"},
		{"GET /chat/new", person, chatNew, "chat_new"},
		{"POST /chat/new", person, chatCreate, "chat_new"},
		{"GET /chat/updates", person, chatUpdates, "chat_updates"},
		{LivePattern, anyone, chatLive, ""},
		{"GET /chat/invite/{token}", person, inviteShow, "chat_invite"},
		{"POST /chat/invite", person, inviteAccept, ""},
		{"GET /chat/open", person, chatOpen, "chat_open"},
		{"GET /home", person, home, ""},
		{"POST /chat/{id}/join", person, chatJoin, ""},
		{"POST /chat/{id}/open", person, chatSetOpen, "chat_people"},
		{"GET /chat/{id}", person, chatShow, "chat"},
		{"POST /chat/{id}", person, chatSend, "chat"},
		{"POST /chat/{id}/message/{message}", person, messageEdit, "chat"},
		{"POST /chat/{id}/message/{message}/delete", person, messageDelete, ""},
		{"POST /chat/{id}/message/{message}/react", person, messageReact, ""},
		// A wildcard, because /chat/{id}/people and /chat/invite/{token} overlap.
		{"GET /chat/{id}/{part}", person, chatPart, "chat_people"},
		{"POST /chat/{id}/people", person, chatAdd, "chat_people"},
		{"POST /chat/{id}/people/{user}/remove", person, chatRemove, "chat_people"},
		{"POST /chat/{id}/people/{user}/owner", person, chatOwner, "chat_people"},
		{"POST /chat/{id}/title", person, chatRename, "chat_people"},
		{"POST /chat/{id}/picture", person, chatPicture, "chat_people"},
		{"POST /chat/{id}/picture/remove", person, chatPictureRemove, "chat_people"},
		{"POST /chat/{id}/invite", person, inviteCreate, "chat_people"},
		{"POST /chat/{id}/invite/{invite}/revoke", person, inviteRevoke, "chat_people"},
		{"POST /chat/{id}/read", person, chatRead, ""},
		{"POST /chat/{id}/unread", person, chatUnread, ""},
		{"POST /chat/{id}/mute", person, chatMute, ""},
		{"POST /chat/{id}/leave", person, chatLeave, "chat_people"},
		{"POST /chat/{id}/context", person, contextPost, "chat_context"},
		{"POST /chat/{id}/context/{post}/edit", person, contextEdit, "chat_context"},
		{"POST /chat/{id}/context/{post}/delete", person, contextDelete, "chat_context"},
		{"POST /chat/{id}/context/{post}/ask", person, contextAsk, "chat_context"},
		{"POST /chat/{id}/context/{post}/track", person, contextTrack, "chat_context"},
		{"POST /chat/{id}/context/{post}/report", person, contextReport, "chat_context"},
		{"POST /chat/{id}/stream", person, streamAdd, "chat_stream"},
		{"POST /chat/{id}/stream/{entry}/pin", person, streamPin, "chat_stream"},
		{"POST /chat/{id}/stream/{entry}/unpin", person, streamUnpin, "chat_stream"},
		{"POST /chat/{id}/stream/{entry}/collapsed", person, streamCollapse, "chat_stream"},
	}
}

func thoughtRoutes() []route {
	return []route{
		{"GET /thoughts", person, fresh((*site).showThoughts), "thoughts"},
		{"POST /thoughts", person, thoughtCreate, "thoughts"},
		{"GET /thoughts/{id}", person, fresh((*site).showThought), "thought"},
		{"POST /thoughts/{id}", person, thoughtUpdate, "thought"},
		{"POST /thoughts/{id}/delete", person, thoughtDelete, ""},
		{"POST /thoughts/{id}/pin", person, thoughtPin, "thought"},
	}
}

func accountRoutes() []route {
	return []route{
		{"GET /login", anyone, login, "login"},
		{"POST /login", bearer, loginSend, "login"},
		{"GET /login/code", anyone, fresh((*site).showCode), "login_code"},
		{"POST /login/code", bearer, loginCodeSend, "login_code"},
		{"GET /login/verify", anyone, loginVerify, "login_verify"},
		{"POST /login/verify", bearer, loginVerifySend, "login_verify"},
		{"POST /logout", bearer, logout, ""},
		{"GET /deleted", anyone, accountDeleted, "account_deleted"},
		{"GET /claim", anyone, claim, "claim"},
		{"POST /claim", bearer, claimSend, "claim"},
	}
}

func settingsRoutes() []route {
	return []route{
		{"GET /settings", person, settings, "settings"},
		{"POST /settings/profile", person, settingsProfile, "settings"},
		{"POST /settings/picture", person, settingsPicture, "settings"},
		{"POST /settings/picture/remove", person, settingsPictureRemove, "settings"},
		{"POST /settings/status", person, settingsStatus, "settings"},
		{"POST /settings/presence", person, settingsPresence, "settings"},
		{"GET /settings/export", person, accountExport, "settings_export"},
		{"GET /settings/delete", person, fresh((*site).showDelete), "settings_delete"},
		{"POST /settings/delete", person, accountDeleteSend, "settings_delete"},
		{"GET /settings/sessions", person, sessions, "settings_sessions"},
		{"POST /settings/sessions/end", person, sessionsEnd, ""},
		{"POST /settings/sessions/{id}/end", person, sessionEnd, ""},
		{"GET /settings/api-keys", person, keys, "settings_keys"},
		{"POST /settings/api-keys", person, keyCreate, "settings_keys"},
		{"POST /settings/api-keys/{id}", person, keyUpdate, "settings_keys"},
		{"POST /settings/api-keys/{id}/requests", person, keyReceives, ""},
		{"GET /settings/api-keys/{id}/requests", person, keyRequests, "settings_key_requests"},
		{"POST /settings/api-keys/{id}/revoke", person, keyRevoke, ""},
		{"GET /settings/api-keys/{id}/activity", person, keyActivity, "settings_key_activity"},
		{"POST /settings/bots/{id}", person, botUpdate, "settings_keys"},
		{"POST /settings/bots/{id}/delete", person, botDelete, "settings_keys"},
		{"GET /settings/secretary", person, secretary, "settings_secretary"},
		{"POST /settings/secretary", person, secretaryEnable, ""},
		{"POST /settings/secretary/answers", person, answerCreate, "settings_secretary"},
		{"POST /settings/secretary/answers/{id}", person, answerUpdate, "settings_secretary"},
		{"POST /settings/secretary/answers/{id}/delete", person, answerDelete, ""},
		{"GET /settings/webhooks", person, webhooks, "settings_webhooks"},
		{"POST /settings/webhooks", person, webhookCreate, "settings_webhooks"},
		{"GET /settings/webhooks/{id}", person, webhookShow, "settings_webhook"},
		{"POST /settings/webhooks/{id}", person, webhookUpdate, "settings_webhook"},
		{"POST /settings/webhooks/{id}/enable", person, webhookEnable, "settings_webhook"},
		{"POST /settings/webhooks/{id}/disable", person, webhookDisable, "settings_webhook"},
		{"POST /settings/webhooks/{id}/test", person, webhookTest, "settings_webhook"},
		{"POST /settings/webhooks/{id}/delete", person, webhookDelete, ""},
	}
}

var wildcard = regexp.MustCompile(`\{([a-z_]+)\}`)

// addresses returns the path of each template's page, as in http.ServeMux.
func addresses() map[string]string {
	out := map[string]string{"chat_people": "/chat/{id}/people", "chat_context": "/chat/{id}/context", "chat_stream": "/chat/{id}/stream"}
	for _, r := range routes() {
		if path, ok := strings.CutPrefix(r.pattern, "GET "); ok && r.template != "" && out[r.template] == "" {
			out[r.template] = path
		}
	}
	return out
}

// pageOf returns the page to reload after a form, because the form's address may be no page. It is "" for
// other requests.
func (s *site) pageOf(v *visit) string {
	if v.r.Method != http.MethodPost {
		return ""
	}
	return wildcard.ReplaceAllStringFunc(s.addresses[v.template], func(name string) string {
		return url.PathEscape(v.r.PathValue(strings.Trim(name, "{}")))
	})
}

func templates() []string {
	var names []string
	for _, r := range routes() {
		if r.template != "" && !slices.Contains(names, r.template) {
			names = append(names, r.template)
		}
	}
	return names
}

func notFound(*site, *visit) error { return core.ErrNotFound }
