package api

import (
	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/live"
)

// Services are the rooms whose operations the table names.
type Services struct {
	Chat    *chat.Service
	Account *account.Service
	List    *list.Service
	Live    *live.Hub
	Events  []core.Event // the tables of all domain packages

	meta *meta
}

// Routes is the table: every endpoint of the JSON door, a row each. From it
// come the router, the OpenAPI document, the reference page and the tests of
// who may call what.
func Routes(s Services) []Route {
	openAPI := Answer{Type: "application/json", Doc: "This interface as an OpenAPI 3.1 document."}
	docs := Answer{Type: "text/html", Doc: "This interface as a page to read."}
	watch := watch{list: s.List, hub: s.Live}
	return []Route{
		// The server
		{"GET", "/health", Public, 200, Op(s.meta.Health).Uncounted(), "Whether the server is up, and its version"},
		{"GET", "/api/openapi.json", Public, 200, Stream(s.meta.OpenAPI, openAPI), "The machine-readable description"},
		{"GET", "/api/docs", Public, 200, Stream(s.meta.Docs, docs), "The reference to read"},

		// Account
		{"POST", "/api/auth/magic-link", Public, 202, Op(s.Account.RequestMagicLink), "Ask for a mail with a sign-in link and a code; the answer is the same for every address"},
		{"POST", "/api/auth/magic-link/verify", Public, 200, Op(s.Account.VerifyMagicLink).Also(401), "Sign in with the link's token, or with address and code"},
		{"POST", "/api/auth/login", Public, 200, Op(s.Account.Login).Also(401), "Sign in with a password, for accounts that have one"},
		{"POST", "/api/auth/token", HumanOnly, 200, Op(s.Account.CreateToken), "A user token for oneself, or for an embedded page"},
		{"POST", "/api/auth/logout", HumanOnly, 204, Op(s.Account.Logout), "End the session or token the call came with"},
		{"GET", "/api/auth/session", Public, 200, Op(s.Account.GetSession), "Who is signed in; null for nobody"},
		{"GET", "/api/auth/sessions", HumanOnly, 200, Op(s.Account.ListSessions), "Where one is signed in"},
		{"DELETE", "/api/auth/sessions", HumanOnly, 204, Op(s.Account.EndAllSessions), "Sign out everywhere, tokens included"},
		{"DELETE", "/api/auth/sessions/{id}", HumanOnly, 204, Op(s.Account.EndSession), "Sign one device out"},
		{"GET", "/api/auth/me", Member, 200, Op(s.Account.GetMe), "One's own account"},
		{"PATCH", "/api/auth/me", Member, 200, Op(s.Account.UpdateMe), "Change name, picture or who finds one"},
		{"PUT", "/api/auth/me/status", Member, 200, Op(s.Account.SetStatus), "Set or clear the line beside one's name"},
		{"POST", "/api/auth/bridge-exchange", Bridge, 201, Op(s.Account.BridgeExchange), "For the trusted peer service: an account and a token for a verified address"},
		{"GET", "/api/agent-keys", HumanOnly, 200, Op(s.Account.ListAgentKeys), "One's agent keys"},
		{"POST", "/api/agent-keys", HumanOnly, 201, Op(s.Account.CreateAgentKey), "Make an agent key; it is shown this once"},
		{"PATCH", "/api/agent-keys/{id}", HumanOnly, 200, Op(s.Account.UpdateAgentKey), "Rename a key or change its scopes"},
		{"DELETE", "/api/agent-keys/{id}", HumanOnly, 204, Op(s.Account.RevokeAgentKey), "Revoke a key at once and for good"},
		{"GET", "/api/people", Member, 200, Op(s.Account.FindPeople), "Find people by name, or by exact e-mail address"},

		// Conversations
		{"GET", "/api/chat/conversations", Member, 200, Op(s.Chat.ListConversations), "One's conversations, the latest news first"},
		{"POST", "/api/chat/conversations", Member, 201, Op(s.Chat.CreateConversation).Also(200), "Begin one; the direct one that is there already is answered with 200"},
		{"GET", "/api/chat/conversations/{id}", Member, 200, Op(s.Chat.GetConversation), "One conversation"},
		{"PATCH", "/api/chat/conversations/{id}", Member, 200, Op(s.Chat.UpdateConversation), "Give a group another title; for its owners"},
		{"POST", "/api/chat/conversations/{id}/participants", Member, 201, Op(s.Chat.AddParticipant).Also(200, 409), "Bring somebody into a group; for its owners"},
		{"PATCH", "/api/chat/conversations/{id}/participants/me", Member, 200, Op(s.Chat.MuteConversation), "Mute it for oneself"},
		{"PATCH", "/api/chat/conversations/{id}/participants/{userId}", Member, 200, Op(s.Chat.UpdateParticipant), "Make somebody an owner of a group, or no longer; for its owners"},
		{"DELETE", "/api/chat/conversations/{id}/participants/{userId}", Member, 204, Op(s.Chat.RemoveParticipant), "Take somebody out of a group, or leave it"},
		{"POST", "/api/chat/conversations/{id}/invites", Member, 201, Op(s.Chat.CreateInvite).Also(409), "Make a link by which people join a group; for its owners"},
		{"GET", "/api/chat/invites/{token}", Member, 200, Op(s.Chat.GetInvite), "What an invitation is for"},
		{"POST", "/api/chat/invites/{token}/accept", Member, 200, Op(s.Chat.AcceptInvite).Also(409), "Join by an invitation"},
		{"PATCH", "/api/chat/conversations/{id}/read", Member, 200, Op(s.Chat.MarkRead), "Have read everything in it"},
		{"POST", "/api/chat/conversations/{id}/typing", Member, 204, Op(s.Chat.ShowTyping), "Show the others that one is writing"},
		{"GET", "/api/chat/unread-total", HumanOnly, 200, Op(s.Chat.UnreadTotal), "How many messages one has not read, in all"},
		{"GET", "/api/chat/events", Member, 200, Stream(watch.WatchChat, watchChatAnswer(s.Events)), "Everything one is told about, as server-sent events"},

		// Messages
		{"GET", "/api/chat/conversations/{id}/messages", Member, 200, Op(s.Chat.ListMessages), "A page of a conversation, the oldest first in it"},
		{"POST", "/api/chat/conversations/{id}/messages", Member, 201, Op(s.Chat.SendMessage).Also(409), "Say something"},
		{"GET", "/api/chat/messages/since", Member, 200, Op(s.Chat.MessagesSince), "What was said after a moment, in all conversations"},
		{"PATCH", "/api/chat/messages/{id}", Member, 200, Op(s.Chat.EditMessage), "Change what one has said"},
		{"DELETE", "/api/chat/messages/{id}", Member, 200, Op(s.Chat.DeleteMessage), "Take back what one has said"},

		// Lists
		{"GET", "/api/lists", ListRead, 200, Op(s.List.Lists), "Lists, the newest change first: all public ones without a credential"},
		{"POST", "/api/lists", ListWrite, 201, Op(s.List.CreateList), "Make a list, with its first items or not at all"},
		{"GET", "/api/lists/{id}", ListRead, 200, Op(s.List.GetList), "One list"},
		{"PATCH", "/api/lists/{id}", ListWrite, 200, Op(s.List.UpdateList), "Change its title, description or visibility"},
		{"DELETE", "/api/lists/{id}", ListWrite, 204, Op(s.List.DeleteList), "Delete it with all its items"},
		{"GET", "/api/lists/{id}/items", ListRead, 200, Op(s.List.Items), "Its items by position"},
		{"POST", "/api/lists/{id}/items", ListAdd, 201, Op(s.List.AddItem), "Add an item at the end; without an account on open lists"},
		{"PATCH", "/api/lists/{id}/items/{item_id}", ListWrite, 200, Op(s.List.UpdateItem), "Change or move an item"},
		{"DELETE", "/api/lists/{id}/items/{item_id}", ListWrite, 204, Op(s.List.DeleteItem), "Take an item off"},
		{"GET", "/api/lists/{id}/members", ListOwnRead, 200, Op(s.List.Members), "Whom it is shared with; for its owner and them"},
		{"PUT", "/api/lists/{id}/members/{user_id}", ListWrite, 200, Op(s.List.PutMember), "Share it with somebody, or change their role"},
		{"DELETE", "/api/lists/{id}/members/{user_id}", ListWrite, 204, Op(s.List.DeleteMember), "Share it no longer with somebody, or leave it"},
		{"GET", "/api/list/{id}/events", ListRead, 200, Stream(watch.WatchList, watchListAnswer(s.Events)), "Watch a list change, as server-sent events"},
		{"GET", "/api/lists/{id}/events", ListRead, 200, Stream(watch.WatchList, watchListAnswer(s.Events)), "The same at the list's own address"},
		{"GET", "/api/list/{id}/presence", ListRead, 200, Op(watch.Presence), "Who watches a list"},
		{"POST", "/api/list/{id}/presence", ListWrite, 200, Op(watch.SetTyping), "Say that one is writing"},
	}
}
