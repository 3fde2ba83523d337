package api

import (
	"io"
	"mime"
	"net/http"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/lane"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/app/people"
	"hearth/app/push"
	"hearth/app/social"
	"hearth/store"
)

// AccountExport documents the export of an account. Each member is written by its package.
type AccountExport struct {
	Schema            string                   `json:"schema" enum:"chat.account_export.v1"`
	ExportedAt        store.Time               `json:"exportedAt"`
	Range             account.ExportRange      `json:"range"`
	User              account.Me               `json:"user"`
	Conversations     []chat.Conversation      `json:"conversations"`
	MessageCount      int                      `json:"messageCount" doc:"How many messages there are"`
	Messages          []chat.Message           `json:"messages" doc:"Of all conversations, deleted ones too; of each the oldest first"`
	Thoughts          []lane.Thought           `json:"thoughts" doc:"The newest first"`
	BlockedUsers      []people.Block           `json:"blockedUsers"`
	FriendConnections []people.Friend          `json:"friendConnections" doc:"Friends and requests"`
	AgentKeys         []account.AgentKey       `json:"agentKeys" doc:"Without the keys themselves"`
	Secretary         chat.SecretaryConfig     `json:"secretary"`
	IntentDrafts      []social.IntentDraft     `json:"intentDrafts"`
	Stories           []social.OwnedStory      `json:"stories"`
	Intents           []social.AgentIntent     `json:"intents"`
	SocialPreferences social.SocialPreferences `json:"socialPreferences"`
	AgentMatches      []social.AgentMatch      `json:"agentMatches" doc:"As they are shown to the account"`

	ContextPosts      []lane.ContextPostProjection `json:"contextPosts" doc:"By the account, deleted ones too; the newest first"`
	ContextIntentions []lane.ContextIntention      `json:"contextIntentions"`

	CommunityInvitations []account.OwnInvitation `json:"communityInvitations" doc:"That the account made and that can be used"`
	PushSubscriptions    []push.Subscription     `json:"pushSubscriptions"`
	Notifications        push.Preferences        `json:"notifications"`
}

func exportRoute(s *account.Service) Endpoint {
	return decoded("ExportAccount", op.Spec{Summary: "Export my account", Guard: op.HumanOnly, Hints: op.ReadOnly,
		Errors: []core.Kind{core.TooMany}}, Response{Type: "application/json", Out: AccountExport{},
		Doc: "Everything of the account, as a file."},
		func(w http.ResponseWriter, r *http.Request, v store.Viewer, in account.ExportIn) {
			sendExport(w, "application/json", func(begin func(string) io.Writer) error {
				return s.Export(r.Context(), v, in, begin)
			})
		})
}

func listExportRoute(s *list.Service) Endpoint {
	types := map[string]string{"json": "application/json", "md": "text/markdown; charset=utf-8",
		"csv": "text/csv; charset=utf-8; header=present"}
	return decoded("ExportList", op.Spec{Summary: "Export a list", Guard: op.ListRead, Hints: op.ReadOnly},
		Response{Type: "application/json", Types: []string{"text/markdown", "text/csv"}, Out: list.Portable{},
			Doc: "The list with all items, as a file: this JSON, Markdown or CSV."},
		func(w http.ResponseWriter, r *http.Request, v store.Viewer, in list.ExportIn) {
			sendExport(w, types[in.Format], func(begin func(string) io.Writer) error {
				return s.Export(r.Context(), v, in, begin)
			})
		})
}

// A failed export breaks the connection, so that a part is not taken for the whole.
func sendExport(w http.ResponseWriter, kind string, export func(begin func(name string) io.Writer) error) {
	if err := middleware.EnterExport(w); err != nil {
		middleware.FailJSON(w, err)
		return
	}
	begun := false
	err := export(func(name string) io.Writer {
		begun = true
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
		w.WriteHeader(http.StatusOK)
		return w
	})
	switch {
	case err == nil:
	case begun:
		middleware.RecorderOf(w).Err = err
		panic(http.ErrAbortHandler)
	default:
		middleware.FailJSON(w, err)
	}
}
