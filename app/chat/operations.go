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
	SetNotify         *op.Func[SetNotifyIn, Conversation]
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
	member, human := op.Member.Spec, op.HumanOnly.Spec
	return Operations{
		ListConversations: op.Read(l, db, s.listConversations, member("GET /api/chat/conversations", "List conversations")),
		GetConversation:   op.Read(l, db, s.getConversation, member("GET /api/chat/conversations/{id}", "Get a conversation")),
		ConversationsByID: op.Read(l, db, s.conversationsByID, member("", "Get conversations by their ids")),
		CreateConversation: op.Write(l, db, s.createConversation, member("POST /api/chat/conversations 201",
			"Create a conversation, or get the direct one that exists", core.Conflict).Hint(op.Stores|op.NoBots).Limited(limit.Conversations)),
		UpdateConversation: op.Write(l, db, s.updateConversation, member("PATCH /api/chat/conversations/{id}",
			"Rename a group, or open it to everybody (owners)").Hint(op.Idempotent)),

		AddParticipant: op.Write(l, db, s.addParticipant, member("POST /api/chat/conversations/{id}/participants 201",
			"Add a participant to a group (owners)", core.Conflict).Hint(op.Idempotent|op.Stores)),
		UpdateParticipant: op.Write(l, db, s.updateParticipant, member("PATCH /api/chat/conversations/{id}/participants/{userId}",
			"Change a participant's role (owners)").Hint(op.Idempotent)),
		RemoveParticipant: op.Write(l, db, s.removeParticipant, member("DELETE /api/chat/conversations/{id}/participants/{userId}",
			"Remove a participant (owners), or leave a group", core.Invalid).Hint(op.Destructive)),
		FindMentionable: op.Read(l, db, s.findMentionable, member("GET /api/chat/conversations/{id}/mentionable",
			"Find participants to mention")),
		SetNotify: op.Write(l, db, s.setNotify, member("PATCH /api/chat/conversations/{id}/participants/me",
			"Choose what notifies you of a conversation, or mute it").Hint(op.Idempotent)),

		CreateInvite: op.Write(l, db, s.createInvite, member("POST /api/chat/conversations/{id}/invites 201",
			"Create an invite link to a group (owners)", core.Conflict).Hint(op.Stores)),
		ListInvites: op.Read(l, db, s.listInvites, member("GET /api/chat/conversations/{id}/invites",
			"List the invite links of a group (owners)", core.Invalid)),
		RevokeInvite: op.Write(l, db, s.revokeInvite, member("DELETE /api/chat/conversations/{id}/invites/{inviteId}",
			"Revoke an invite link of a group (owners)", core.Invalid).Hint(op.Destructive)),
		GetInvite: op.Read(l, db, s.getInvite, member("GET /api/chat/invites/{token}", "Get an invitation")),
		AcceptInvite: op.Write(l, db, s.acceptInvite, member("POST /api/chat/invites/{token}/accept",
			"Accept an invitation", core.Conflict).Hint(op.Idempotent|op.Stores)),

		MarkRead: op.New(l, s.markRead, member("PATCH /api/chat/conversations/{id}/read",
			"Mark a conversation as read").Hint(op.Idempotent).Limited(limit.SmallWrites)),
		MarkUnread: op.Write(l, db, s.markUnread, member("POST /api/chat/conversations/{id}/unread",
			"Mark messages as unread").Hint(op.Idempotent|op.Stores).Limited(limit.SmallWrites)),
		UnreadTotal: op.Read(l, db, s.unreadTotal, human("GET /api/chat/unread-total", "Get the number of unread messages")),
		FirstUnread: op.Read(l, db, s.firstUnread, member("", "Get the first unread message of a conversation")),
		ShowTyping: op.New(l, s.showTyping, member("POST /api/chat/conversations/{id}/typing",
			"Show that you are typing").Hint(op.Idempotent).Limited(limit.Signals)),

		GetSecretary: op.Read(l, db, s.getSecretary, member("GET /api/secretary", "Get your secretary")),
		UpdateSecretary: op.Write(l, db, s.updateSecretary, human("PATCH /api/secretary",
			"Enable or disable your secretary").Hint(op.Idempotent)),
		CreateSecretaryAnswer: op.Write(l, db, s.createSecretaryAnswer, human("POST /api/secretary/answers 201",
			"Add an answer for automatic replies", core.Conflict).Hint(op.Stores)),
		UpdateSecretaryAnswer: op.Write(l, db, s.updateSecretaryAnswer, human("PATCH /api/secretary/answers/{id}",
			"Update an answer for automatic replies").Hint(op.Idempotent|op.Stores)),
		DeleteSecretaryAnswer: op.Write(l, db, s.deleteSecretaryAnswer, human("DELETE /api/secretary/answers/{id}",
			"Delete an answer for automatic replies").Hint(op.Destructive)),
		TryQuestion: op.Read(l, db, s.tryQuestion, human("", "Try what your secretary would answer").Limited(limit.SecretaryTries)),

		UploadAttachment: op.New(l, s.uploadAttachment, member("POST /api/chat/attachments 201", "Upload a file to send").Hint(op.Stores)),
		GetAttachment:    op.New(l, s.getAttachment, member("", "Download a file").Hint(op.ReadOnly)),
		SetGroupPicture: op.New(l, s.setGroupPicture, member("POST /api/chat/conversations/{id}/picture",
			"Set the picture of a group (owners)").Hint(op.Idempotent|op.Stores)),
		DeleteGroupPicture: op.Write(l, db, s.deleteGroupPicture, member("DELETE /api/chat/conversations/{id}/picture",
			"Remove the picture of a group (owners)", core.Invalid).Hint(op.Idempotent|op.Destructive)),

		ListOpen: op.Read(l, db, s.listOpen, member("GET /api/chat/open-conversations", "List open groups")),
		JoinConversation: op.Write(l, db, s.joinConversation, member("POST /api/chat/conversations/{id}/join",
			"Join an open group", core.Conflict).Hint(op.Idempotent|op.Stores)),
		SetDefault: op.Write(l, db, s.setDefault, op.AdminOnly.Spec("PUT /api/community/default-conversation",
			"Choose the group that everybody joins").Hint(op.Idempotent)),
		ListChanges: op.Read(l, db, s.listChanges, member("GET /api/chat/conversations/{id}/changes", "List who joined and left a group")),

		ListMessages:   op.Read(l, db, s.listMessages, member("GET /api/chat/conversations/{id}/messages", "List messages in a conversation")),
		MessagesByID:   op.Read(l, db, s.messagesByID, member("", "Get messages of a conversation by their ids")),
		MessagesSince:  op.Read(l, db, s.messagesSince, member("GET /api/chat/messages/since", "List new messages in all conversations")),
		SearchMessages: op.New(l, s.searchMessages, member("GET /api/chat/search", "Search messages", core.NotFound).Hint(op.ReadOnly)),
		MessagesAround: op.Read(l, db, s.messagesAround, member("", "List messages around one of them")),
		SendMessage: op.New(l, s.sendMessage, member("POST /api/chat/conversations/{id}/messages 201",
			"Send a message", core.Conflict).Hint(op.Stores)),
		EditMessage: op.Write(l, db, s.editMessage, member("PATCH /api/chat/messages/{id}", "Edit a message").Hint(op.Idempotent|op.Stores)),
		DeleteMessage: op.Write(l, db, s.deleteMessage, member("DELETE /api/chat/messages/{id}",
			"Delete a message").Hint(op.Idempotent|op.Destructive)),
		React: op.Write(l, db, s.react, member("POST /api/chat/messages/{id}/reactions 201",
			"React to a message").Hint(op.Idempotent|op.Stores).Limited(limit.SmallWrites)),
		Unreact: op.Write(l, db, s.unreact, member("DELETE /api/chat/messages/{id}/reactions/{emoji}",
			"Remove your reaction to a message", core.Invalid).Hint(op.Idempotent).Limited(limit.SmallWrites)),

		ListWebhooks: op.Read(l, db, s.listWebhooks, member("GET /api/webhooks", "List webhooks")),
		CreateWebhook: op.Write(l, db, s.createWebhook, member("POST /api/webhooks 201",
			"Create a webhook", core.NotFound, core.Conflict).Hint(op.OpenWorld|op.Stores)),
		UpdateWebhook: op.Write(l, db, s.updateWebhook, member("PATCH /api/webhooks/{id}",
			"Change, disable or enable a webhook").Hint(op.Idempotent|op.OpenWorld)),
		DeleteWebhook:  op.Write(l, db, s.deleteWebhook, member("DELETE /api/webhooks/{id}", "Delete a webhook").Hint(op.Destructive)),
		ListDeliveries: op.Read(l, db, s.listDeliveries, member("GET /api/webhooks/{id}/deliveries", "List the deliveries of a webhook")),
		TestWebhook: op.Write(l, db, s.testWebhook, member("POST /api/webhooks/{id}/test 202",
			"Test a webhook").Hint(op.OpenWorld).Limited(limit.WebhookTests)),
	}
}
