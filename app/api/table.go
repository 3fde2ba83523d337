package api

import (
	"net/http"
	"slices"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/lane"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/app/op"
	"hearth/app/people"
	"hearth/app/social"
)

// Services has the packages whose operations are in the table.
type Services struct {
	Chat    *chat.Service
	Account *account.Service
	List    *list.Service
	People  *people.Service
	Admin   *admin.Service
	Lane    *lane.Service
	Social  *social.Service
	Live    *live.Hub
	Files   *file.Store
	Limits  *op.Limits

	meta *meta
}

// Described returns services without a database, to describe the table. Calling an operation panics.
func Described() Services {
	return Services{Chat: chat.Described(), Account: account.Described(), List: list.Described(), Admin: admin.Described(),
		People: people.Described(), Lane: lane.Described(), Social: social.Described()}
}

// Events returns the event tables of all packages.
func Events() []core.Event {
	return slices.Concat(chat.Events(), account.Events(), list.Events(), people.Events(), lane.Events(), social.Events())
}

// Routes returns all endpoints of the JSON transport. The router, the OpenAPI document, the reference and the
// authorization tests are derived from it.
func Routes(s Services) []Route {
	if s.meta == nil {
		s.meta = newMeta("")
	}
	public := op.Spec{Guard: op.Public, Hints: op.ReadOnly}
	openAPI := Response{Type: "application/json", Doc: "The OpenAPI 3.1 document of this API.", Also: []int{http.StatusNotModified}}
	docs := Response{Type: "text/html", Doc: "The API reference as an HTML page.", Also: []int{http.StatusNotModified}}
	discover := &discovery{s.List, s.Admin, s.meta}
	watch := newWatch(s)
	files := newFiles(s)
	return append([]Route{
		// The server
		{"GET", "/health", 200, Uncounted(s.meta.Health)},
		{"GET", "/api/openapi.json", 200, Stream(s.meta.OpenAPI, public.Titled("Get the OpenAPI document"), openAPI)},
		{"GET", "/api/docs", 200, Stream(discover.Docs, public.Titled("Read the API reference"), docs)},

		// The community
		{"GET", "/api/community", 200, s.Admin.GetCommunity},
		{"PUT", "/api/community/default-conversation", 200, s.Chat.SetDefault},
		{"GET", "/api/community/invitations", 200, s.Account.ListInvitations},
		{"POST", "/api/community/invitations", 201, s.Account.CreateInvitation},
		{"DELETE", "/api/community/invitations/{id}", 204, s.Account.RevokeInvitation},
		{"GET", "/api/invitations/{token}", 200, s.Account.GetInvitation},

		// Account
		{"POST", "/api/auth/magic-link", 202, s.Account.RequestMagicLink},
		{"POST", "/api/auth/magic-link/verify", 200, s.Account.VerifyMagicLink},
		{"POST", "/api/auth/login", 200, s.Account.Login},
		{"POST", "/api/auth/token", 200, s.Account.CreateToken},
		{"POST", "/api/auth/logout", 204, s.Account.Logout},
		{"GET", "/api/auth/session", 200, s.Account.GetSession},
		{"GET", "/api/auth/sessions", 200, s.Account.ListSessions},
		{"DELETE", "/api/auth/sessions", 204, s.Account.EndAllSessions},
		{"DELETE", "/api/auth/sessions/{id}", 204, s.Account.EndSession},
		{"GET", "/api/auth/me", 200, s.Account.GetMe},
		{"PATCH", "/api/auth/me", 200, s.Account.UpdateMe},
		{"DELETE", "/api/auth/me", 204, s.Account.DeleteMe},
		{"POST", "/api/auth/me/avatar", 200, Upload(s.Account.SetAvatar)},
		{"DELETE", "/api/auth/me/avatar", 200, s.Account.DeleteAvatar},
		{"GET", "/api/pictures/{id}", 200, files.picture()},
		{"PUT", "/api/auth/me/status", 200, s.Account.SetStatus},
		{"GET", "/api/auth/export", 200, exportRoute(s.Account)},
		{"POST", "/api/auth/bridge-exchange", 201, s.Account.BridgeExchange},
		{"POST", "/api/register-agent", 201, s.Account.RegisterAgent},
		{"GET", "/api/agent-keys", 200, s.Account.ListAgentKeys},
		{"POST", "/api/agent-keys", 201, s.Account.CreateAgentKey},
		{"PATCH", "/api/agent-keys/{id}", 200, s.Account.UpdateAgentKey},
		{"DELETE", "/api/agent-keys/{id}", 204, s.Account.RevokeAgentKey},
		{"GET", "/api/agent-keys/{id}/activity", 200, s.Account.GetKeyActivity},
		{"GET", "/api/bots", 200, s.Account.ListBots},
		{"PATCH", "/api/bots/{id}", 200, s.Account.UpdateBot},
		{"DELETE", "/api/bots/{id}", 204, s.Account.DeleteBot},
		{"GET", "/api/people", 200, s.Account.FindPeople},

		// Conversations
		{"GET", "/api/chat/conversations", 200, s.Chat.ListConversations},
		{"POST", "/api/chat/conversations", 201, s.Chat.CreateConversation},
		{"GET", "/api/chat/open-conversations", 200, s.Chat.ListOpen},
		{"GET", "/api/chat/conversations/{id}", 200, s.Chat.GetConversation},
		{"PATCH", "/api/chat/conversations/{id}", 200, s.Chat.UpdateConversation},
		{"POST", "/api/chat/conversations/{id}/join", 200, s.Chat.JoinConversation},
		{"GET", "/api/chat/conversations/{id}/changes", 200, s.Chat.ListChanges},
		{"POST", "/api/chat/conversations/{id}/picture", 200, Upload(s.Chat.SetGroupPicture)},
		{"DELETE", "/api/chat/conversations/{id}/picture", 200, s.Chat.DeleteGroupPicture},
		{"POST", "/api/chat/conversations/{id}/participants", 201, s.Chat.AddParticipant},
		{"PATCH", "/api/chat/conversations/{id}/participants/me", 200, s.Chat.MuteConversation},
		{"PATCH", "/api/chat/conversations/{id}/participants/{userId}", 200, s.Chat.UpdateParticipant},
		{"DELETE", "/api/chat/conversations/{id}/participants/{userId}", 204, s.Chat.RemoveParticipant},
		{"GET", "/api/chat/conversations/{id}/mentionable", 200, s.Chat.FindMentionable},
		{"POST", "/api/chat/conversations/{id}/invites", 201, s.Chat.CreateInvite},
		{"GET", "/api/chat/conversations/{id}/invites", 200, s.Chat.ListInvites},
		{"DELETE", "/api/chat/conversations/{id}/invites/{inviteId}", 204, s.Chat.RevokeInvite},
		{"GET", "/api/chat/invites/{token}", 200, s.Chat.GetInvite},
		{"POST", "/api/chat/invites/{token}/accept", 200, s.Chat.AcceptInvite},
		{"PATCH", "/api/chat/conversations/{id}/read", 200, s.Chat.MarkRead},
		{"POST", "/api/chat/conversations/{id}/unread", 200, s.Chat.MarkUnread},
		{"POST", "/api/chat/conversations/{id}/typing", 204, s.Chat.ShowTyping},
		{"GET", "/api/chat/unread-total", 200, s.Chat.UnreadTotal},
		{"GET", "/api/chat/events", 200, watch.chat()},

		// Messages
		{"GET", "/api/chat/conversations/{id}/messages", 200, s.Chat.ListMessages},
		{"POST", "/api/chat/conversations/{id}/messages", 201, s.Chat.SendMessage},
		{"GET", "/api/chat/messages/since", 200, s.Chat.MessagesSince},
		{"GET", "/api/chat/search", 200, s.Chat.SearchMessages},
		{"PATCH", "/api/chat/messages/{id}", 200, s.Chat.EditMessage},
		{"DELETE", "/api/chat/messages/{id}", 200, s.Chat.DeleteMessage},
		{"POST", "/api/chat/attachments", 201, Upload(s.Chat.UploadAttachment)},
		{"GET", "/api/chat/attachments/{id}", 200, files.attachment()},
		{"POST", "/api/chat/messages/{id}/reactions", 201, s.Chat.React},
		{"DELETE", "/api/chat/messages/{id}/reactions/{emoji}", 200, s.Chat.Unreact},

		// People
		{"GET", "/api/chat/blocks", 200, s.People.ListBlocks},
		{"POST", "/api/chat/users/{id}/block", 200, s.People.BlockUser},
		{"DELETE", "/api/chat/users/{id}/block", 204, s.People.UnblockUser},
		{"GET", "/api/friends", 200, s.People.ListFriends},
		{"GET", "/api/friends/users/{id}", 200, s.People.GetFriend},
		{"POST", "/api/friends/users/{id}/request", 200, s.People.RequestFriend},
		{"POST", "/api/friends/users/{id}/accept", 200, s.People.AcceptFriend},
		{"POST", "/api/friends/users/{id}/decline", 200, s.People.DeclineFriend},
		{"POST", "/api/friends/users/{id}/cancel", 200, s.People.CancelFriend},
		{"POST", "/api/friends/users/{id}/remove", 200, s.People.RemoveFriend},
		{"GET", "/api/card/me", 200, s.People.GetCard},
		{"PATCH", "/api/card/me", 200, s.People.UpdateCard},
		{"POST", "/api/card/me/rotate", 200, s.People.RotateCard},
		{"GET", "/api/card/{token}", 200, s.People.OpenCard},
		{"GET", "/api/card/{token}/friend-status", 200, s.People.CardFriend},
		{"POST", "/api/card/{token}/friend-request", 200, s.People.RequestByCard},
		{"POST", "/api/chat/reports", 201, s.People.Report},

		// Asks, offers and Stories
		{"GET", "/api/intents", 200, s.Social.ListIntents},
		{"POST", "/api/intents", 201, s.Social.CreateIntent},
		{"PATCH", "/api/intents/{id}", 200, s.Social.UpdateIntent},
		{"GET", "/api/matches", 200, s.Social.ListMatches},
		{"POST", "/api/matches/{id}/respond", 200, s.Social.RespondMatch},
		{"GET", "/api/intent-drafts", 200, s.Social.ListDrafts},
		{"POST", "/api/intent-drafts", 201, s.Social.CreateDraft},
		{"PATCH", "/api/intent-drafts/{id}", 200, s.Social.UpdateDraft},
		{"POST", "/api/intent-drafts/{id}/activate", 201, s.Social.ActivateDraft},
		{"GET", "/api/stories/feed", 200, s.Social.ListFeed},
		{"GET", "/api/stories/mine", 200, s.Social.ListStories},
		{"POST", "/api/stories", 201, s.Social.PublishStory},
		{"PATCH", "/api/stories/{id}", 200, s.Social.UpdateStory},
		{"POST", "/api/stories/{id}/respond", 201, s.Social.RespondStory},
		{"GET", "/api/social/preferences", 200, s.Social.GetPreferences},
		{"PATCH", "/api/social/preferences", 200, s.Social.UpdatePreferences},
		{"GET", "/api/review", 200, s.Social.GetReview},

		// Thoughts and the Stream
		{"GET", "/api/thoughts", 200, s.Lane.ListThoughts},
		{"POST", "/api/thoughts", 201, s.Lane.CreateThought},
		{"PATCH", "/api/thoughts/{id}", 200, s.Lane.UpdateThought},
		{"DELETE", "/api/thoughts/{id}", 204, s.Lane.DeleteThought},
		{"POST", "/api/thoughts/{id}/pin", 201, s.Lane.PinThought},
		{"DELETE", "/api/thoughts/{id}/pin/{conversationId}", 204, s.Lane.UnpinThought},
		{"GET", "/api/chat/conversations/{id}/stream", 200, s.Lane.ListStream},
		{"PUT", "/api/chat/conversations/{id}/stream/{entryId}/collapsed", 200, s.Lane.CollapseEntry},

		// The Context lane
		{"GET", "/api/chat/conversations/{id}/content", 200, s.Lane.ListContent},
		{"GET", "/api/chat/conversations/{id}/context", 200, s.Lane.ListContext},
		{"POST", "/api/chat/conversations/{id}/context", 201, s.Lane.CreateContextPost},
		{"PATCH", "/api/chat/conversations/{id}/context/{postId}", 200, s.Lane.UpdateContextPost},
		{"DELETE", "/api/chat/conversations/{id}/context/{postId}", 204, s.Lane.DeleteContextPost},
		{"POST", "/api/chat/conversations/{id}/context/{postId}/report", 201, s.Lane.ReportContextPost},
		{"POST", "/api/chat/conversations/{id}/context/{postId}/ask-agents", 200, s.Lane.AskAgents},
		{"POST", "/api/chat/conversations/{id}/context/{postId}/intention", 201, s.Lane.TrackIntention},
		{"GET", "/api/chat/conversations/{id}/context/events", 200, watch.lane()},
		{"GET", "/api/chat/context-intentions", 200, s.Lane.ListIntentions},
		{"GET", "/api/chat/context-intentions/{id}", 200, s.Lane.GetIntention},
		{"PATCH", "/api/chat/context-intentions/{id}", 200, s.Lane.UpdateIntention},
		{"GET", "/api/chat/context-agent/preferences", 200, s.Lane.GetContextPreference},
		{"PUT", "/api/chat/context-agent/preferences", 200, s.Lane.SetContextPreference},
		{"GET", "/api/chat/context-agent/requests", 200, Uncounted(s.Lane.ListInbox)},
		{"POST", "/api/chat/context-agent/requests/{requestId}/respond", 200, s.Lane.RespondRequest},

		// Webhooks
		{"GET", "/api/webhooks", 200, s.Chat.ListWebhooks},
		{"POST", "/api/webhooks", 201, s.Chat.CreateWebhook},
		{"PATCH", "/api/webhooks/{id}", 200, s.Chat.UpdateWebhook},
		{"DELETE", "/api/webhooks/{id}", 204, s.Chat.DeleteWebhook},
		{"GET", "/api/webhooks/{id}/deliveries", 200, s.Chat.ListDeliveries},
		{"POST", "/api/webhooks/{id}/test", 202, s.Chat.TestWebhook},

		// Automatic replies
		{"GET", "/api/secretary", 200, s.Chat.GetSecretary},
		{"PATCH", "/api/secretary", 200, s.Chat.UpdateSecretary},
		{"POST", "/api/secretary/answers", 201, s.Chat.CreateSecretaryAnswer},
		{"PATCH", "/api/secretary/answers/{id}", 200, s.Chat.UpdateSecretaryAnswer},
		{"DELETE", "/api/secretary/answers/{id}", 204, s.Chat.DeleteSecretaryAnswer},

		// Lists
		{"GET", "/api/lists", 200, s.List.Lists},
		{"POST", "/api/lists", 201, s.List.CreateList},
		{"POST", "/api/lists/import", 201, Whole(s.List.ImportList, list.MaxImport)},
		{"GET", "/api/lists/{id}/export", 200, listExportRoute(s.List)},
		{"GET", "/api/lists/{id}", 200, s.List.GetList},
		{"PATCH", "/api/lists/{id}", 200, s.List.UpdateList},
		{"DELETE", "/api/lists/{id}", 204, s.List.DeleteList},
		{"GET", "/api/lists/{id}/items", 200, s.List.Items},
		{"POST", "/api/lists/{id}/items", 201, s.List.AddItem},
		{"POST", "/api/lists/{id}/items/batch", 201, s.List.AddItems},
		{"PATCH", "/api/lists/{id}/items/{item_id}", 200, s.List.UpdateItem},
		{"DELETE", "/api/lists/{id}/items/{item_id}", 204, s.List.DeleteItem},
		{"GET", "/api/lists/{id}/items/{item_id}", 200, s.List.GetItem},
		{"PUT", "/api/lists/{id}/items/{item_id}/star", 200, s.List.StarItem},
		{"DELETE", "/api/lists/{id}/items/{item_id}/star", 200, s.List.UnstarItem},
		{"GET", "/api/lists/{id}/items/{item_id}/comments", 200, s.List.Comments},
		{"POST", "/api/lists/{id}/items/{item_id}/comments", 201, s.List.AddComment},
		{"DELETE", "/api/lists/{id}/items/{item_id}/comments/{comment_id}", 204, s.List.DeleteComment},
		{"GET", "/api/lists/{id}/queue", 200, s.List.Queue},
		{"POST", "/api/lists/{id}/queue/{item_id}/approve", 200, s.List.ApproveItem},
		{"DELETE", "/api/lists/{id}/queue/{item_id}", 204, s.List.RejectItem},
		{"PUT", "/api/lists/{id}/owner", 200, s.List.HandOver},
		{"GET", "/api/lists/{id}/members", 200, s.List.Members},
		{"PUT", "/api/lists/{id}/members/{user_id}", 200, s.List.PutMember},
		{"DELETE", "/api/lists/{id}/members/{user_id}", 204, s.List.DeleteMember},
		{"GET", "/api/receipts/{receipt}", 200, s.List.GetReceipt},
		{"PATCH", "/api/receipts/{receipt}", 200, s.List.UpdateByReceipt},
		{"DELETE", "/api/receipts/{receipt}", 204, s.List.DeleteByReceipt},
		{"GET", "/api/search", 200, s.List.Search},
		{"GET", "/api/link-preview", 200, s.List.PreviewLink},
		{"POST", "/api/frontend-log", 204, s.List.LogError},
		{"GET", "/api/list/{id}/events", 200, watch.items("Watch a list")},
		{"GET", "/api/lists/{id}/events", 200, watch.items("Watch a list (same as /api/list/{id}/events)")},
		{"GET", "/api/list/{id}/presence", 200, watch.Presence},
		{"POST", "/api/list/{id}/presence", 200, watch.SetTyping},

		// Administration
		{"POST", "/api/feedback", 201, s.Admin.SendFeedback},
		{"GET", "/api/admin/overview", 200, s.Admin.GetOverview},
		{"GET", "/api/admin/people", 200, s.Admin.ListAccounts},
		{"GET", "/api/admin/people/{id}", 200, s.Admin.GetAccount},
		{"POST", "/api/admin/people/{id}/suspend", 200, s.Admin.SuspendAccount},
		{"POST", "/api/admin/people/{id}/restore", 200, s.Admin.RestoreAccount},
		{"POST", "/api/admin/people/{id}/promote", 200, s.Admin.PromoteAccount},
		{"POST", "/api/admin/people/{id}/demote", 200, s.Admin.DemoteAccount},
		{"GET", "/api/admin/reports", 200, s.Admin.ListReports},
		{"GET", "/api/admin/reports/{id}", 200, s.Admin.GetReport},
		{"GET", "/api/admin/reports/{id}/files/{number}", 200, files.reportFile()},
		{"POST", "/api/admin/reports/{id}/decide", 200, s.Admin.DecideReport},
		{"GET", "/api/admin/feedback", 200, s.Admin.ListFeedback},
		{"POST", "/api/admin/feedback/{id}/done", 200, s.Admin.FinishFeedback},
		{"GET", "/api/admin/audit", 200, s.Admin.ListAudit},
		{"GET", "/api/admin/storage", 200, s.Admin.GetStorage},
		{"GET", "/api/admin/settings", 200, s.Admin.GetSettings},
		{"PATCH", "/api/admin/settings", 200, s.Admin.UpdateSettings},
		{"POST", "/api/admin/settings/picture", 200, Upload(s.Admin.SetCommunityPicture)},
		{"DELETE", "/api/admin/settings/picture", 200, s.Admin.DeleteCommunityPicture},
	}, discover.routes()...)
}
