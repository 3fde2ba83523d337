package chat

import (
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/limit"
	"hearth/app/op"
)

// Operations has the operations on conversations and messages.
type Operations struct {
	ListConversations  *op.Func[ListConversationsIn, core.Page[Conversation]]
	ListOpen           *op.Func[core.None, ListOpenOut]
	JoinConversation   *op.Func[JoinConversationIn, Conversation]
	SetDefault         *op.Func[SetDefaultIn, ListOpenOut]
	ListChanges        *op.Func[ListChangesIn, ListChangesOut]
	GetConversation    *op.Func[GetConversationIn, Conversation]
	ConversationsByID  *op.Func[ConversationsByIDIn, []Conversation]
	CreateConversation *op.Func[CreateConversationIn, CreateConversationOut]
	UpdateConversation *op.Func[UpdateConversationIn, Conversation]

	AddParticipant    *op.Func[AddParticipantIn, AddParticipantOut]
	UpdateParticipant *op.Func[UpdateParticipantIn, Conversation]
	RemoveParticipant *op.Func[RemoveParticipantIn, core.None]
	MuteConversation  *op.Func[MuteConversationIn, Conversation]
	FindMentionable   *op.Func[FindMentionableIn, FindMentionableOut]

	CreateInvite *op.Func[CreateInviteIn, CreateInviteOut]
	ListInvites  *op.Func[ListInvitesIn, ListInvitesOut]
	RevokeInvite *op.Func[RevokeInviteIn, core.None]
	GetInvite    *op.Func[InviteIn, Invite]
	AcceptInvite *op.Func[InviteIn, Conversation]

	MarkRead    *op.Func[MarkReadIn, MarkReadOut]
	MarkUnread  *op.Func[MarkUnreadIn, MarkUnreadOut]
	UnreadTotal *op.Func[core.None, UnreadTotalOut]
	FirstUnread *op.Func[FirstUnreadIn, FirstUnreadOut]
	ShowTyping  *op.Func[ShowTypingIn, core.None]

	GetSecretary          *op.Func[core.None, SecretaryConfig]
	UpdateSecretary       *op.Func[UpdateSecretaryIn, SecretaryConfig]
	CreateSecretaryAnswer *op.Func[CreateAnswerIn, SecretaryAnswer]
	UpdateSecretaryAnswer *op.Func[UpdateAnswerIn, SecretaryAnswer]
	DeleteSecretaryAnswer *op.Func[AnswerIn, core.None]
	TryQuestion           *op.Func[TryQuestionIn, TryQuestionOut]

	UploadAttachment   *op.Func[UploadAttachmentIn, Attachment]
	GetAttachment      *op.Func[GetAttachmentIn, *file.Served]
	SetGroupPicture    *op.Func[SetGroupPictureIn, Conversation]
	DeleteGroupPicture *op.Func[DeleteGroupPictureIn, Conversation]

	ListMessages   *op.Func[ListMessagesIn, MessagePage]
	MessagesByID   *op.Func[MessagesByIDIn, []Message]
	MessagesSince  *op.Func[MessagesSinceIn, MessagesSinceOut]
	SearchMessages *op.Func[SearchMessagesIn, SearchMessagesOut]
	MessagesAround *op.Func[MessagesAroundIn, MessagesAroundOut]
	SendMessage    *op.Func[SendMessageIn, SendMessageOut]
	EditMessage    *op.Func[EditMessageIn, Message]
	DeleteMessage  *op.Func[DeleteMessageIn, Message]
	React          *op.Func[ReactIn, ReactOut]
	Unreact        *op.Func[UnreactIn, ReactOut]

	ListWebhooks   *op.Func[core.None, []Webhook]
	CreateWebhook  *op.Func[CreateWebhookIn, NewWebhook]
	UpdateWebhook  *op.Func[UpdateWebhookIn, Webhook]
	DeleteWebhook  *op.Func[WebhookIn, core.None]
	ListDeliveries *op.Func[ListDeliveriesIn, core.Page[Delivery]]
	TestWebhook    *op.Func[WebhookIn, Delivery]
}

// Described returns a service without a database, to describe its operations. Calling an operation panics.
func Described() *Service { return New(Config{}) }

func (s *Service) operations(l *op.Limits) Operations {
	return Operations{
		ListConversations: op.New(l, s.listConversations, op.Spec{Route: "GET /api/chat/conversations", Summary: "List conversations",
			Guard: op.Member, Hints: op.ReadOnly}),
		GetConversation: op.New(l, s.getConversation, op.Spec{Route: "GET /api/chat/conversations/{id}", Summary: "Get a conversation",
			Guard: op.Member, Hints: op.ReadOnly}),
		ConversationsByID: op.New(l, s.conversationsByID, op.Spec{Summary: "Get conversations by their ids", Guard: op.Member,
			Hints: op.ReadOnly}),
		CreateConversation: op.New(l, s.createConversation, op.Spec{Route: "POST /api/chat/conversations 201",
			Summary: "Create a conversation, or get the direct one that exists", Guard: op.Member, NoBots: true,
			Limits: []limit.Rate{limit.Conversations}, Stores: true, Errors: []core.Kind{core.Conflict}}),
		UpdateConversation: op.New(l, s.updateConversation, op.Spec{Route: "PATCH /api/chat/conversations/{id}",
			Summary: "Rename a group, or open it to everybody (owners)", Guard: op.Member, Hints: op.Idempotent}),

		AddParticipant: op.New(l, s.addParticipant, op.Spec{Route: "POST /api/chat/conversations/{id}/participants 201",
			Summary: "Add a participant to a group (owners)", Guard: op.Member, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict},
			Stores: true}),
		UpdateParticipant: op.New(l, s.updateParticipant, op.Spec{Route: "PATCH /api/chat/conversations/{id}/participants/{userId}",
			Summary: "Change a participant's role (owners)", Guard: op.Member, Hints: op.Idempotent}),
		RemoveParticipant: op.New(l, s.removeParticipant, op.Spec{Route: "DELETE /api/chat/conversations/{id}/participants/{userId}",
			Summary: "Remove a participant (owners), or leave a group", Guard: op.Member, Hints: op.Destructive, Errors: []core.Kind{core.Invalid}}),
		FindMentionable: op.New(l, s.findMentionable, op.Spec{Route: "GET /api/chat/conversations/{id}/mentionable",
			Summary: "Find participants to mention", Guard: op.Member, Hints: op.ReadOnly}),
		MuteConversation: op.New(l, s.muteConversation, op.Spec{Route: "PATCH /api/chat/conversations/{id}/participants/me",
			Summary: "Mute or unmute a conversation", Guard: op.Member, Hints: op.Idempotent}),

		CreateInvite: op.New(l, s.createInvite, op.Spec{Route: "POST /api/chat/conversations/{id}/invites 201",
			Summary: "Create an invite link to a group (owners)", Guard: op.Member, Errors: []core.Kind{core.Conflict}, Stores: true}),
		ListInvites: op.New(l, s.listInvites, op.Spec{Route: "GET /api/chat/conversations/{id}/invites",
			Summary: "List the invite links of a group (owners)", Guard: op.Member, Hints: op.ReadOnly, Errors: []core.Kind{core.Invalid}}),
		RevokeInvite: op.New(l, s.revokeInvite, op.Spec{Route: "DELETE /api/chat/conversations/{id}/invites/{inviteId}",
			Summary: "Revoke an invite link of a group (owners)", Guard: op.Member, Hints: op.Destructive, Errors: []core.Kind{core.Invalid}}),
		GetInvite: op.New(l, s.getInvite, op.Spec{Route: "GET /api/chat/invites/{token}", Summary: "Get an invitation", Guard: op.Member,
			Hints: op.ReadOnly}),
		AcceptInvite: op.New(l, s.acceptInvite, op.Spec{Route: "POST /api/chat/invites/{token}/accept", Summary: "Accept an invitation",
			Guard: op.Member, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict}, Stores: true}),

		MarkRead: op.New(l, s.markRead, op.Spec{Route: "PATCH /api/chat/conversations/{id}/read", Summary: "Mark a conversation as read",
			Rate: limit.SmallWrites, Guard: op.Member, Hints: op.Idempotent}),
		MarkUnread: op.New(l, s.markUnread, op.Spec{Route: "POST /api/chat/conversations/{id}/unread", Summary: "Mark messages as unread",
			Rate: limit.SmallWrites, Guard: op.Member, Hints: op.Idempotent, Stores: true}),
		UnreadTotal: op.New(l, s.unreadTotal, op.Spec{Route: "GET /api/chat/unread-total", Summary: "Get the number of unread messages",
			Guard: op.HumanOnly, Hints: op.ReadOnly}),
		FirstUnread: op.New(l, s.firstUnread, op.Spec{Summary: "Get the first unread message of a conversation", Guard: op.Member,
			Hints: op.ReadOnly}),
		ShowTyping: op.New(l, s.showTyping, op.Spec{Route: "POST /api/chat/conversations/{id}/typing", Summary: "Show that you are typing",
			Rate: limit.Signals, Guard: op.Member, Hints: op.Idempotent}),

		GetSecretary: op.New(l, s.getSecretary, op.Spec{Route: "GET /api/secretary", Summary: "Get your secretary", Guard: op.Member,
			Hints: op.ReadOnly}),
		UpdateSecretary: op.New(l, s.updateSecretary, op.Spec{Route: "PATCH /api/secretary", Summary: "Enable or disable your secretary",
			Guard: op.HumanOnly, Hints: op.Idempotent}),
		CreateSecretaryAnswer: op.New(l, s.createSecretaryAnswer, op.Spec{Route: "POST /api/secretary/answers 201",
			Summary: "Add an answer for automatic replies", Guard: op.HumanOnly, Errors: []core.Kind{core.Conflict}, Stores: true}),
		UpdateSecretaryAnswer: op.New(l, s.updateSecretaryAnswer, op.Spec{Route: "PATCH /api/secretary/answers/{id}",
			Summary: "Update an answer for automatic replies", Guard: op.HumanOnly, Hints: op.Idempotent, Stores: true}),
		DeleteSecretaryAnswer: op.New(l, s.deleteSecretaryAnswer, op.Spec{Route: "DELETE /api/secretary/answers/{id}",
			Summary: "Delete an answer for automatic replies", Guard: op.HumanOnly, Hints: op.Destructive}),
		TryQuestion: op.New(l, s.tryQuestion, op.Spec{Summary: "Try what your secretary would answer", Guard: op.HumanOnly, Hints: op.ReadOnly,
			Limits: []limit.Rate{limit.SecretaryTries}}),

		UploadAttachment: op.New(l, s.uploadAttachment, op.Spec{Route: "POST /api/chat/attachments 201", Summary: "Upload a file to send",
			Guard: op.Member, Stores: true}),
		GetAttachment: op.New(l, s.getAttachment, op.Spec{Summary: "Download a file", Guard: op.Member, Hints: op.ReadOnly}),
		SetGroupPicture: op.New(l, s.setGroupPicture, op.Spec{Route: "POST /api/chat/conversations/{id}/picture",
			Summary: "Set the picture of a group (owners)", Guard: op.Member, Hints: op.Idempotent, Stores: true}),
		DeleteGroupPicture: op.New(l, s.deleteGroupPicture, op.Spec{Route: "DELETE /api/chat/conversations/{id}/picture",
			Summary: "Remove the picture of a group (owners)", Guard: op.Member, Hints: op.Idempotent | op.Destructive,
			Errors: []core.Kind{core.Invalid}}),

		ListOpen: op.New(l, s.listOpen, op.Spec{Route: "GET /api/chat/open-conversations", Summary: "List open groups", Guard: op.Member,
			Hints: op.ReadOnly}),
		JoinConversation: op.New(l, s.joinConversation, op.Spec{Route: "POST /api/chat/conversations/{id}/join", Summary: "Join an open group",
			Guard: op.Member, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict}, Stores: true}),
		SetDefault: op.New(l, s.setDefault, op.Spec{Route: "PUT /api/community/default-conversation",
			Summary: "Choose the group that everybody joins", Guard: op.AdminOnly, Hints: op.Idempotent}),
		ListChanges: op.New(l, s.listChanges, op.Spec{Route: "GET /api/chat/conversations/{id}/changes",
			Summary: "List who joined and left a group", Guard: op.Member, Hints: op.ReadOnly}),

		ListMessages: op.New(l, s.listMessages, op.Spec{Route: "GET /api/chat/conversations/{id}/messages",
			Summary: "List messages in a conversation", Guard: op.Member, Hints: op.ReadOnly}),
		MessagesByID: op.New(l, s.messagesByID, op.Spec{Summary: "Get messages of a conversation by their ids", Guard: op.Member,
			Hints: op.ReadOnly}),
		MessagesSince: op.New(l, s.messagesSince, op.Spec{Route: "GET /api/chat/messages/since",
			Summary: "List new messages in all conversations", Guard: op.Member, Hints: op.ReadOnly}),
		SearchMessages: op.New(l, s.searchMessages, op.Spec{Route: "GET /api/chat/search", Summary: "Search messages", Guard: op.Member,
			Hints: op.ReadOnly, Errors: []core.Kind{core.NotFound}}),
		MessagesAround: op.New(l, s.messagesAround, op.Spec{Summary: "List messages around one of them", Guard: op.Member, Hints: op.ReadOnly}),
		SendMessage: op.New(l, s.sendMessage, op.Spec{Route: "POST /api/chat/conversations/{id}/messages 201", Summary: "Send a message",
			Guard: op.Member, Errors: []core.Kind{core.Conflict}, Stores: true}),
		EditMessage: op.New(l, s.editMessage, op.Spec{Route: "PATCH /api/chat/messages/{id}", Summary: "Edit a message", Guard: op.Member,
			Hints: op.Idempotent, Stores: true}),
		DeleteMessage: op.New(l, s.deleteMessage, op.Spec{Route: "DELETE /api/chat/messages/{id}", Summary: "Delete a message", Guard: op.Member,
			Hints: op.Idempotent | op.Destructive}),
		React: op.New(l, s.react, op.Spec{Route: "POST /api/chat/messages/{id}/reactions 201", Summary: "React to a message",
			Rate: limit.SmallWrites, Guard: op.Member, Hints: op.Idempotent, Stores: true}),
		Unreact: op.New(l, s.unreact, op.Spec{Route: "DELETE /api/chat/messages/{id}/reactions/{emoji}",
			Summary: "Remove your reaction to a message", Rate: limit.SmallWrites, Guard: op.Member, Hints: op.Idempotent,
			Errors: []core.Kind{core.Invalid}}),

		ListWebhooks: op.New(l, s.listWebhooks, op.Spec{Route: "GET /api/webhooks", Summary: "List webhooks", Guard: op.Member,
			Hints: op.ReadOnly}),
		CreateWebhook: op.New(l, s.createWebhook, op.Spec{Route: "POST /api/webhooks 201", Summary: "Create a webhook", Guard: op.Member,
			Hints: op.OpenWorld, Errors: []core.Kind{core.NotFound, core.Conflict}, Stores: true}),
		UpdateWebhook: op.New(l, s.updateWebhook, op.Spec{Route: "PATCH /api/webhooks/{id}", Summary: "Change, disable or enable a webhook",
			Guard: op.Member, Hints: op.Idempotent | op.OpenWorld}),
		DeleteWebhook: op.New(l, s.deleteWebhook, op.Spec{Route: "DELETE /api/webhooks/{id}", Summary: "Delete a webhook", Guard: op.Member,
			Hints: op.Destructive}),
		ListDeliveries: op.New(l, s.listDeliveries, op.Spec{Route: "GET /api/webhooks/{id}/deliveries",
			Summary: "List the deliveries of a webhook", Guard: op.Member, Hints: op.ReadOnly}),
		TestWebhook: op.New(l, s.testWebhook, op.Spec{Route: "POST /api/webhooks/{id}/test 202", Summary: "Test a webhook", Guard: op.Member,
			Hints: op.OpenWorld, Limits: []limit.Rate{limit.WebhookTests}}),
	}
}
