package chat

import (
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/limit"
	"hearth/app/op"
	"hearth/store"
)

// Operations has the operations on conversations and messages.
type Operations struct {
	ListConversations  *op.Func[ListConversationsIn, core.Page[Conversation]]
	ListOpen           *op.Func[core.None, ListOpenOut]
	JoinConversation   *op.Func[core.ByID, Conversation]
	SetDefault         *op.Func[SetDefaultIn, ListOpenOut]
	ListChanges        *op.Func[ListChangesIn, ListChangesOut]
	GetConversation    *op.Func[core.ByID, Conversation]
	ConversationsByID  *op.Func[ConversationsByIDIn, []Conversation]
	CreateConversation *op.Func[CreateConversationIn, CreateConversationOut]
	UpdateConversation *op.Func[UpdateConversationIn, Conversation]

	AddParticipant    *op.Func[AddParticipantIn, AddParticipantOut]
	UpdateParticipant *op.Func[UpdateParticipantIn, Conversation]
	RemoveParticipant *op.Func[RemoveParticipantIn, core.None]
	MuteConversation  *op.Func[MuteConversationIn, Conversation]
	FindMentionable   *op.Func[FindMentionableIn, FindMentionableOut]

	CreateInvite *op.Func[CreateInviteIn, CreateInviteOut]
	ListInvites  *op.Func[core.ByID, ListInvitesOut]
	RevokeInvite *op.Func[RevokeInviteIn, core.None]
	GetInvite    *op.Func[core.ByToken, Invite]
	AcceptInvite *op.Func[core.ByToken, Conversation]

	MarkRead    *op.Func[MarkReadIn, MarkReadOut]
	MarkUnread  *op.Func[MarkUnreadIn, MarkUnreadOut]
	UnreadTotal *op.Func[core.None, UnreadTotalOut]
	FirstUnread *op.Func[core.ByID, FirstUnreadOut]
	ShowTyping  *op.Func[core.ByID, core.None]

	GetSecretary          *op.Func[core.None, SecretaryConfig]
	UpdateSecretary       *op.Func[UpdateSecretaryIn, SecretaryConfig]
	CreateSecretaryAnswer *op.Func[CreateAnswerIn, SecretaryAnswer]
	UpdateSecretaryAnswer *op.Func[UpdateAnswerIn, SecretaryAnswer]
	DeleteSecretaryAnswer *op.Func[core.ByID, core.None]
	TryQuestion           *op.Func[TryQuestionIn, TryQuestionOut]

	UploadAttachment   *op.Func[file.In, Attachment]
	GetAttachment      *op.Func[GetAttachmentIn, *file.Served]
	SetGroupPicture    *op.Func[SetGroupPictureIn, Conversation]
	DeleteGroupPicture *op.Func[core.ByID, Conversation]

	ListMessages   *op.Func[ListMessagesIn, MessagePage]
	MessagesByID   *op.Func[MessagesByIDIn, []Message]
	MessagesSince  *op.Func[MessagesSinceIn, MessagesSinceOut]
	SearchMessages *op.Func[SearchMessagesIn, SearchMessagesOut]
	MessagesAround *op.Func[MessagesAroundIn, MessagesAroundOut]
	SendMessage    *op.Func[SendMessageIn, SendMessageOut]
	EditMessage    *op.Func[EditMessageIn, Message]
	DeleteMessage  *op.Func[core.ByID, Message]
	React          *op.Func[ReactIn, ReactOut]
	Unreact        *op.Func[UnreactIn, ReactOut]

	ListWebhooks   *op.Func[core.None, []Webhook]
	CreateWebhook  *op.Func[CreateWebhookIn, NewWebhook]
	UpdateWebhook  *op.Func[UpdateWebhookIn, Webhook]
	DeleteWebhook  *op.Func[core.ByID, core.None]
	ListDeliveries *op.Func[ListDeliveriesIn, core.Page[Delivery]]
	TestWebhook    *op.Func[core.ByID, Delivery]
}

func (s *Service) operations(l *op.Limits, db *store.DB) Operations {
	return Operations{
		ListConversations: op.Read(l, db, s.listConversations, op.Spec{Route: "GET /api/chat/conversations", Summary: "List conversations",
			Guard: op.Member}),
		GetConversation: op.Read(l, db, s.getConversation, op.Spec{Route: "GET /api/chat/conversations/{id}", Summary: "Get a conversation",
			Guard: op.Member}),
		ConversationsByID: op.Read(l, db, s.conversationsByID, op.Spec{Summary: "Get conversations by their ids", Guard: op.Member}),
		CreateConversation: op.Write(l, db, s.createConversation, op.Spec{Route: "POST /api/chat/conversations 201",
			Summary: "Create a conversation, or get the direct one that exists", Guard: op.Member, NoBots: true,
			Limits: []limit.Rate{limit.Conversations}, Stores: true, Errors: []core.Kind{core.Conflict}}),
		UpdateConversation: op.Write(l, db, s.updateConversation, op.Spec{Route: "PATCH /api/chat/conversations/{id}",
			Summary: "Rename a group, or open it to everybody (owners)", Guard: op.Member, Hints: op.Idempotent}),

		AddParticipant: op.Write(l, db, s.addParticipant, op.Spec{Route: "POST /api/chat/conversations/{id}/participants 201",
			Summary: "Add a participant to a group (owners)", Guard: op.Member, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict},
			Stores: true}),
		UpdateParticipant: op.Write(l, db, s.updateParticipant, op.Spec{Route: "PATCH /api/chat/conversations/{id}/participants/{userId}",
			Summary: "Change a participant's role (owners)", Guard: op.Member, Hints: op.Idempotent}),
		RemoveParticipant: op.Write(l, db, s.removeParticipant, op.Spec{Route: "DELETE /api/chat/conversations/{id}/participants/{userId}",
			Summary: "Remove a participant (owners), or leave a group", Guard: op.Member, Hints: op.Destructive, Errors: []core.Kind{core.Invalid}}),
		FindMentionable: op.Read(l, db, s.findMentionable, op.Spec{Route: "GET /api/chat/conversations/{id}/mentionable",
			Summary: "Find participants to mention", Guard: op.Member}),
		MuteConversation: op.Write(l, db, s.muteConversation, op.Spec{Route: "PATCH /api/chat/conversations/{id}/participants/me",
			Summary: "Mute or unmute a conversation", Guard: op.Member, Hints: op.Idempotent}),

		CreateInvite: op.Write(l, db, s.createInvite, op.Spec{Route: "POST /api/chat/conversations/{id}/invites 201",
			Summary: "Create an invite link to a group (owners)", Guard: op.Member, Errors: []core.Kind{core.Conflict}, Stores: true}),
		ListInvites: op.Read(l, db, s.listInvites, op.Spec{Route: "GET /api/chat/conversations/{id}/invites",
			Summary: "List the invite links of a group (owners)", Guard: op.Member, Errors: []core.Kind{core.Invalid}}),
		RevokeInvite: op.Write(l, db, s.revokeInvite, op.Spec{Route: "DELETE /api/chat/conversations/{id}/invites/{inviteId}",
			Summary: "Revoke an invite link of a group (owners)", Guard: op.Member, Hints: op.Destructive, Errors: []core.Kind{core.Invalid}}),
		GetInvite: op.Read(l, db, s.getInvite, op.Spec{Route: "GET /api/chat/invites/{token}", Summary: "Get an invitation", Guard: op.Member}),
		AcceptInvite: op.Write(l, db, s.acceptInvite, op.Spec{Route: "POST /api/chat/invites/{token}/accept", Summary: "Accept an invitation",
			Guard: op.Member, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict}, Stores: true}),

		MarkRead: op.New(l, s.markRead, op.Spec{Route: "PATCH /api/chat/conversations/{id}/read", Summary: "Mark a conversation as read",
			Rate: limit.SmallWrites, Guard: op.Member, Hints: op.Idempotent}),
		MarkUnread: op.Write(l, db, s.markUnread, op.Spec{Route: "POST /api/chat/conversations/{id}/unread", Summary: "Mark messages as unread",
			Rate: limit.SmallWrites, Guard: op.Member, Hints: op.Idempotent, Stores: true}),
		UnreadTotal: op.Read(l, db, s.unreadTotal, op.Spec{Route: "GET /api/chat/unread-total", Summary: "Get the number of unread messages",
			Guard: op.HumanOnly}),
		FirstUnread: op.Read(l, db, s.firstUnread, op.Spec{Summary: "Get the first unread message of a conversation", Guard: op.Member}),
		ShowTyping: op.New(l, s.showTyping, op.Spec{Route: "POST /api/chat/conversations/{id}/typing", Summary: "Show that you are typing",
			Rate: limit.Signals, Guard: op.Member, Hints: op.Idempotent}),

		GetSecretary: op.Read(l, db, s.getSecretary, op.Spec{Route: "GET /api/secretary", Summary: "Get your secretary", Guard: op.Member}),
		UpdateSecretary: op.Write(l, db, s.updateSecretary, op.Spec{Route: "PATCH /api/secretary", Summary: "Enable or disable your secretary",
			Guard: op.HumanOnly, Hints: op.Idempotent}),
		CreateSecretaryAnswer: op.Write(l, db, s.createSecretaryAnswer, op.Spec{Route: "POST /api/secretary/answers 201",
			Summary: "Add an answer for automatic replies", Guard: op.HumanOnly, Errors: []core.Kind{core.Conflict}, Stores: true}),
		UpdateSecretaryAnswer: op.Write(l, db, s.updateSecretaryAnswer, op.Spec{Route: "PATCH /api/secretary/answers/{id}",
			Summary: "Update an answer for automatic replies", Guard: op.HumanOnly, Hints: op.Idempotent, Stores: true}),
		DeleteSecretaryAnswer: op.Write(l, db, s.deleteSecretaryAnswer, op.Spec{Route: "DELETE /api/secretary/answers/{id}",
			Summary: "Delete an answer for automatic replies", Guard: op.HumanOnly, Hints: op.Destructive}),
		TryQuestion: op.Read(l, db, s.tryQuestion, op.Spec{Summary: "Try what your secretary would answer", Guard: op.HumanOnly,
			Limits: []limit.Rate{limit.SecretaryTries}}),

		UploadAttachment: op.New(l, s.uploadAttachment, op.Spec{Route: "POST /api/chat/attachments 201", Summary: "Upload a file to send",
			Guard: op.Member, Stores: true}),
		GetAttachment: op.New(l, s.getAttachment, op.Spec{Summary: "Download a file", Guard: op.Member,
			Hints: op.ReadOnly}),
		SetGroupPicture: op.New(l, s.setGroupPicture, op.Spec{Route: "POST /api/chat/conversations/{id}/picture",
			Summary: "Set the picture of a group (owners)", Guard: op.Member, Hints: op.Idempotent, Stores: true}),
		DeleteGroupPicture: op.Write(l, db, s.deleteGroupPicture, op.Spec{Route: "DELETE /api/chat/conversations/{id}/picture",
			Summary: "Remove the picture of a group (owners)", Guard: op.Member, Hints: op.Idempotent | op.Destructive,
			Errors: []core.Kind{core.Invalid}}),

		ListOpen: op.Read(l, db, s.listOpen, op.Spec{Route: "GET /api/chat/open-conversations", Summary: "List open groups", Guard: op.Member}),
		JoinConversation: op.Write(l, db, s.joinConversation, op.Spec{Route: "POST /api/chat/conversations/{id}/join",
			Summary: "Join an open group", Guard: op.Member, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict}, Stores: true}),
		SetDefault: op.Write(l, db, s.setDefault, op.Spec{Route: "PUT /api/community/default-conversation",
			Summary: "Choose the group that everybody joins", Guard: op.AdminOnly, Hints: op.Idempotent}),
		ListChanges: op.Read(l, db, s.listChanges, op.Spec{Route: "GET /api/chat/conversations/{id}/changes",
			Summary: "List who joined and left a group", Guard: op.Member}),

		ListMessages: op.Read(l, db, s.listMessages, op.Spec{Route: "GET /api/chat/conversations/{id}/messages",
			Summary: "List messages in a conversation", Guard: op.Member}),
		MessagesByID: op.Read(l, db, s.messagesByID, op.Spec{Summary: "Get messages of a conversation by their ids", Guard: op.Member}),
		MessagesSince: op.Read(l, db, s.messagesSince, op.Spec{Route: "GET /api/chat/messages/since",
			Summary: "List new messages in all conversations", Guard: op.Member}),
		SearchMessages: op.New(l, s.searchMessages, op.Spec{Route: "GET /api/chat/search", Summary: "Search messages", Guard: op.Member,
			Hints: op.ReadOnly, Errors: []core.Kind{core.NotFound}}),
		MessagesAround: op.Read(l, db, s.messagesAround, op.Spec{Summary: "List messages around one of them", Guard: op.Member}),
		SendMessage: op.New(l, s.sendMessage, op.Spec{Route: "POST /api/chat/conversations/{id}/messages 201", Summary: "Send a message",
			Guard: op.Member, Errors: []core.Kind{core.Conflict}, Stores: true}),
		EditMessage: op.Write(l, db, s.editMessage, op.Spec{Route: "PATCH /api/chat/messages/{id}", Summary: "Edit a message", Guard: op.Member,
			Hints: op.Idempotent, Stores: true}),
		DeleteMessage: op.Write(l, db, s.deleteMessage, op.Spec{Route: "DELETE /api/chat/messages/{id}", Summary: "Delete a message",
			Guard: op.Member, Hints: op.Idempotent | op.Destructive}),
		React: op.Write(l, db, s.react, op.Spec{Route: "POST /api/chat/messages/{id}/reactions 201", Summary: "React to a message",
			Rate: limit.SmallWrites, Guard: op.Member, Hints: op.Idempotent, Stores: true}),
		Unreact: op.Write(l, db, s.unreact, op.Spec{Route: "DELETE /api/chat/messages/{id}/reactions/{emoji}",
			Summary: "Remove your reaction to a message", Rate: limit.SmallWrites, Guard: op.Member, Hints: op.Idempotent,
			Errors: []core.Kind{core.Invalid}}),

		ListWebhooks: op.Read(l, db, s.listWebhooks, op.Spec{Route: "GET /api/webhooks", Summary: "List webhooks", Guard: op.Member}),
		CreateWebhook: op.Write(l, db, s.createWebhook, op.Spec{Route: "POST /api/webhooks 201", Summary: "Create a webhook", Guard: op.Member,
			Hints: op.OpenWorld, Errors: []core.Kind{core.NotFound, core.Conflict}, Stores: true}),
		UpdateWebhook: op.Write(l, db, s.updateWebhook, op.Spec{Route: "PATCH /api/webhooks/{id}",
			Summary: "Change, disable or enable a webhook", Guard: op.Member, Hints: op.Idempotent | op.OpenWorld}),
		DeleteWebhook: op.Write(l, db, s.deleteWebhook, op.Spec{Route: "DELETE /api/webhooks/{id}", Summary: "Delete a webhook", Guard: op.Member,
			Hints: op.Destructive}),
		ListDeliveries: op.Read(l, db, s.listDeliveries, op.Spec{Route: "GET /api/webhooks/{id}/deliveries",
			Summary: "List the deliveries of a webhook", Guard: op.Member}),
		TestWebhook: op.Write(l, db, s.testWebhook, op.Spec{Route: "POST /api/webhooks/{id}/test 202", Summary: "Test a webhook",
			Guard: op.Member, Hints: op.OpenWorld, Limits: []limit.Rate{limit.WebhookTests}}),
	}
}
