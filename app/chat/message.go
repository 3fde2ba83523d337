package chat

import (
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// Message is a message as shown to one viewer. A deleted message has no content.
type Message struct {
	ID             string            `json:"id"`
	ConversationID string            `json:"conversationId"`
	SenderID       string            `json:"senderId"`
	Content        string            `json:"content" read:"own"`
	MessageType    string            `json:"messageType" enum:"text|card"`
	CardKind       *string           `json:"cardKind"`
	CardPayload    *string           `json:"cardPayload" read:"own" doc:"JSON, as text"`
	ViaSecretary   bool              `json:"viaSecretary" doc:"An automatic reply that its sender had approved"`
	CreatedAt      store.Time        `json:"createdAt"`
	Sender         Sender            `json:"sender"`
	ReplyToID      *string           `json:"replyToId"`
	ReplyTo        *Quote            `json:"replyTo" read:"others"`
	Reactions      []ReactionSummary `json:"reactions" read:"others"`
	Mentions       []string          `json:"mentions" read:"own" doc:"Ids of the members that the content names, as in @Ada, in their order"`
	Attachments    []Attachment      `json:"attachments"`
	Transcript     *string           `json:"transcript" read:"own"`
	EditedAt       *store.Time       `json:"editedAt"`
	DeletedAt      *store.Time       `json:"deletedAt"`
	Agent          *Agent            `json:"agent,omitzero" doc:"The key that sent it; absent when a person did"`

	FilesJSON string          `json:"-" read:"own"` // Attachments as JSON, instead of it
	Places    []store.Mention `json:"-" read:"own"` // where the content names the members
}

// Sender is the account that sent a message. Only the account itself sees its address.
type Sender struct {
	ID    string `json:"id"`
	Name  string `json:"name" read:"own"`
	Email string `json:"email" read:"own"`

	AvatarURL string `json:"-" read:"own"` // for pages
}

// Quote is the part of an answered message that a reply shows: the first 200 characters, and nothing of a deleted
// message.
type Quote struct {
	ID         string `json:"id"`
	Content    string `json:"content"`
	SenderID   string `json:"senderId"`
	SenderName string `json:"senderName"`
}

// ReactionSummary counts one emoji on a message.
type ReactionSummary struct {
	Emoji string  `json:"emoji" enum:"👍|❤️|😂|😮|😢|🙏|🗂️|📁|📎|✅"`
	Count int     `json:"count"`
	ByMe  bool    `json:"byMe" doc:"Whether the caller is one of them"`
	Kind  *string `json:"kind,omitzero" enum:"filed"`
	Href  *string `json:"href,omitzero" format:"url" doc:"Where the first of those who filed it did so"`
}

// Attachment is a file of a message, or one to send.
type Attachment struct {
	ID         string `json:"id"`
	URL        string `json:"url" doc:"Path on this server; it needs a credential"`
	PreviewURL string `json:"previewUrl,omitzero" doc:"Path of a picture of at most 512 by 512 pixels; absent if the original is smaller"`
	MimeType   string `json:"mimeType"`
	Name       string `json:"name" read:"own"`
	Size       int64  `json:"size" doc:"Bytes"`
	Width      int    `json:"width,omitzero" doc:"Pixels"`
	Height     int    `json:"height,omitzero" doc:"Pixels"`
	DurationMs int    `json:"durationMs,omitzero" doc:"Milliseconds"`
}

// Agent is the key that acted for an account, with its name at the time.
type Agent struct {
	ID   string `json:"id"`
	Name string `json:"name" read:"own"`
}

// ListMessagesIn is the input of ListMessages.
type ListMessagesIn struct {
	ConversationID string      `path:"id" json:"-"`
	Before         *store.Time `query:"before" json:"-" doc:"Only messages before this moment, such as the createdAt of a page's first"`
	Limit          int         `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true" doc:"Messages in a page"`
}

// MessagePage is a page of messages, oldest first.
type MessagePage struct {
	Messages []Message `json:"messages"`
	HasMore  bool      `json:"hasMore" doc:"Whether there are older ones"`
}

func (s *Service) listMessages(r *store.Reader, by store.Viewer, in ListMessagesIn) (page MessagePage, err error) {
	rows, err := r.Messages(by, in.ConversationID, core.Before(in.Before), in.Limit+1)
	if err != nil {
		return page, err
	}
	rows, page.HasMore = core.Cut(rows, in.Limit)
	slices.Reverse(rows)
	page.Messages, err = newView(r, by).messages(rows)
	return page, err
}

// MessagesSinceIn is the input of MessagesSince.
type MessagesSinceIn struct {
	Since store.Time `query:"since" json:"-" required:"true" doc:"Only messages sent after this moment"`
}

// MessagesSinceOut has the messages after a time, oldest first.
type MessagesSinceOut struct {
	Messages  []Message `json:"messages"`
	Truncated bool      `json:"truncated" doc:"Whether there is more: ask again with the createdAt of the last message"`
}

const (
	maxSince     = 500
	maxSinceSize = 1 << 20 // bytes of text; a byte can take six in JSON
)

func (s *Service) messagesSince(r *store.Reader, by store.Viewer, in MessagesSinceIn) (out MessagesSinceOut, err error) {
	rows, truncated, err := r.MessagesSince(by, in.Since, maxSince, maxSinceSize)
	if err != nil {
		return out, err
	}
	out.Truncated = truncated
	out.Messages, err = newView(r, by).messages(rows)
	return out, err
}
