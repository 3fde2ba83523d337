package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

func (s *site) chatSend(v *visit) (string, error) {
	id := v.id("id")
	if strings.TrimSpace(v.form("content")) == "" && len(v.uploads) == 0 && v.uploadErr == nil {
		return "", core.InvalidField("content", "Write a message first, or choose a file.")
	}
	files, err := s.storeUploads(v)
	if err != nil {
		return "", err
	}
	out, err := s.Chat.SendMessage.Call(v.ctx(), v.by, chat.SendMessageIn{ConversationID: id, ID: v.form("id"),
		Content: v.form("content"), ReplyToID: v.form("replyToId"), Attachments: files})
	if core.As(err).Code == "id_in_use" {
		err = s.sentBefore(v, id, files)
	}
	switch {
	case err == nil && !out.Created():
		return "/chat", nil // the conversation is hidden
	case v.query("newest") != "": // the form was on an older part
		return "/chat/" + id + "?newest=1", err
	}
	return "/chat/" + id, err
}

// sentBefore returns nil if the same message was sent before with this id: same text, files and parent. Files
// are compared by content, because a repeated upload has new ids.
func (s *site) sentBefore(v *visit, conversationID string, files []chat.AttachmentRef) error {
	around, err := s.Chat.MessagesAround.Call(v.ctx(), v.by, chat.MessagesAroundIn{ConversationID: conversationID, ID: v.form("id")})
	if err != nil && !core.IsKind(err, core.NotFound) {
		return err
	}
	for _, m := range around.Messages {
		if m.ID != v.form("id") || m.Sender.ID != v.by.UserID || core.OrZero(m.ReplyToID) != v.form("replyToId") ||
			strings.TrimSpace(m.Content) != strings.TrimSpace(v.form("content")) {
			continue
		}
		same, err := s.Chat.SameFiles(v.ctx(), v.by, core.Map(m.Files(), func(a chat.Attachment) string { return a.ID }),
			core.Map(files, func(r chat.AttachmentRef) string { return r.ID }))
		if same || err != nil {
			return err
		}
	}
	return core.New(core.Conflict, "sent_before",
		"A message was sent with this form already. If the text here is a new message, send it again.")
}

func (s *site) message(v *visit) (chat.Message, error) {
	id := v.id("message")
	around, err := s.Chat.MessagesAround.Call(v.ctx(), v.by, chat.MessagesAroundIn{ConversationID: v.id("id"), ID: id})
	return pick(around.Messages, err, func(m chat.Message) bool { return m.ID == id && m.DeletedAt == nil })
}

func storedMessage(m chat.Message) Form { return newForm("content", m.Content) }

func (s *site) messageEdit(v *visit) (string, error) {
	if _, err := current(v, s.message, storedMessage); err != nil {
		return "", err
	}
	in := chat.EditMessageIn{ID: v.id("message"), Content: new(v.form("content"))}
	_, err := s.Chat.EditMessage.Call(v.ctx(), v.by, in)
	return v.atMessage(), err
}

func (s *site) messageDelete(v *visit) (string, error) {
	_, err := s.Chat.DeleteMessage.Call(v.ctx(), v.by, core.ByID{ID: v.id("message")})
	return v.atMessage(), err
}

// atMessage returns the address of the message that the form is about, on its page.
func (v *visit) atMessage() string {
	return withQuery(v.address("/chat/{id}"), v.r.URL.RawQuery) + "#m-" + v.id("message")
}

const maxChosen = 100

// chatNew keeps chosen people in the form as "id name", so that a search preserves them.
func (s *site) chatNew(v *visit) error {
	form := v.filled(Form{Values: v.r.URL.Query()})
	view := chatNewView{Form: form, Query: strings.TrimSpace(form.Get("q"))}
	var ids []string
	for _, p := range chosenIn(form.Values) {
		if p.ID != v.by.UserID && len(ids) < maxChosen && !slices.Contains(ids, p.ID) {
			ids = append(ids, p.ID)
		}
	}
	found, err := s.People.Readable(v.ctx(), v.by, ids) // the name in a link may be wrong
	if err != nil {
		return err
	}
	view.Chosen = core.Map(found, personOf)
	view.Found = s.findPeople(v, view.Query, view.Chosen)
	view.columnView = s.column(v, "")
	return s.page(v, "New message", "chat", "chat", &view)
}

func chosenIn(form url.Values) (people []Person) {
	for _, to := range form["to"] {
		if id, name, _ := strings.Cut(to, " "); store.ValidID(id) {
			people = append(people, Person{ID: id, Name: name})
		}
	}
	return people
}

func chosenIDs(form url.Values) []string {
	return core.Map(chosenIn(form), func(p Person) string { return p.ID })
}

// findPeople searches by name or e-mail address.
func (s *site) findPeople(v *visit, q string, except []Person) []Person {
	if q == "" {
		return nil
	}
	out, err := s.Account.FindPeople.Call(v.ctx(), v.by, account.FindPeopleIn{Q: q})
	if err != nil && aboutInput(err) {
		return nil
	}
	v.failed(err)
	found := core.Map(out.People, personOf)
	return slices.DeleteFunc(found, func(p Person) bool {
		return p.ID == v.by.UserID || slices.ContainsFunc(except, func(e Person) bool { return e.ID == p.ID })
	})
}

func (s *site) chatCreate(v *visit) (string, error) {
	in := chat.CreateConversationIn{Title: v.form("title"), Open: v.form("open") == "yes", ParticipantIDs: chosenIDs(v.r.PostForm)}
	if len(in.ParticipantIDs) == 0 && strings.TrimSpace(in.Title) != "" {
		in.ParticipantIDs = []string{v.by.UserID} // a group of one, for now
	}
	if strings.TrimSpace(in.Title) != "" {
		in.Type = "group"
	}
	if len(in.ParticipantIDs) == 0 {
		return "", core.InvalidField("participantIds", "Find someone first, then tick the box beside their name.")
	}
	out, err := s.Chat.CreateConversation.Call(v.ctx(), v.by, in)
	return "/chat/" + out.ID, err
}

type reactionView struct {
	Emoji, Name string
	Count       int
	Own         bool
	Href, Host  string // set where the message was filed
}

func reactionChoices() []reactionView {
	return []reactionView{
		{Emoji: "👍", Name: "Thumbs up"}, {Emoji: "❤️", Name: "Heart"}, {Emoji: "😂", Name: "Laughing"},
		{Emoji: "😮", Name: "Surprised"},
		{Emoji: "😢", Name: "Sad"}, {Emoji: "🙏", Name: "Thank you"}, {Emoji: "✅", Name: "Done"}, {Emoji: "📎", Name: "Paperclip"},
		{Emoji: "📁", Name: "Folder"}, {Emoji: "🗂️", Name: "Archive"},
	}
}

func emojiName(emoji string) string {
	for _, c := range reactionChoices() {
		if c.Emoji == emoji {
			return c.Name
		}
	}
	return emoji
}

func reactionOf(r chat.ReactionSummary) reactionView {
	view := reactionView{Emoji: r.Emoji, Name: emojiName(r.Emoji), Count: r.Count, Own: r.ByMe, Href: core.OrZero(r.Href)}
	if u, err := url.Parse(view.Href); err == nil {
		view.Host = u.Hostname()
	}
	return view
}

func (s *site) messageReact(v *visit) (string, error) {
	var err error
	if emoji := v.form("remove"); emoji != "" {
		_, err = s.Chat.Unreact.Call(v.ctx(), v.by, chat.UnreactIn{ID: v.id("message"), Emoji: emoji})
	} else {
		_, err = s.Chat.React.Call(v.ctx(), v.by, chat.ReactIn{ID: v.id("message"), Emoji: v.form("add")})
	}
	return v.atMessage(), err
}

// chatSeen marks messages as read, up to the moment in the address. Browsers without scripts load it as an
// image. The script instead reports what was on the screen.
func (s *site) chatSeen(v *visit) error {
	upTo, err := store.ParseTime(v.query("upTo"))
	if err != nil || v.r.Method != http.MethodGet || v.r.Header.Get("Sec-Purpose") != "" || !forPicture(v.r) {
		return core.ErrNotFound
	}
	v.then(func() error {
		_, err := s.Chat.MarkRead.Call(v.ctx(), v.by, chat.MarkReadIn{ConversationID: v.id("id"), UpTo: &upTo})
		if err == nil {
			v.w.WriteHeader(http.StatusNoContent)
		}
		return err
	})
	return nil
}

// forPicture reports whether a browser requests an image rather than follows a link. Without https, only the
// Accept header distinguishes the two.
func forPicture(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return (dest == "" || dest == "image") && !strings.Contains(r.Header.Get("Accept"), "text/html")
}

// forever is the stored end of a mute without end.
func forever() store.Time {
	return store.TimeOf(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
}

// morning is the hour of the reader's day at which "until tomorrow" ends.
const morning = 8

// mutedUntil returns 0 if the conversation is not muted.
func (s *site) mutedUntil(c chat.Conversation) store.Time {
	if until := core.OrZero(c.MutedUntil); until > store.TimeOf(s.Now()) {
		return until
	}
	return 0
}

func (s *site) chatMute(v *visit) (string, error) {
	until, done := core.Opt[store.Time]{Set: true, Null: true}, "unmuted"
	if t := muteEnd(s.Now(), v.form("for"), v.form("zone")); t != 0 {
		until, done = core.Some(t), "muted"
	}
	_, err := send(v, s.Chat.SetNotify, func(in *chat.SetNotifyIn) { in.MutedUntil = until })
	return v.address("/chat/{id}/people?done=" + done), err
}

// muteEnd returns the end of a mute, or 0 to unmute. zone is the reader's offset behind UTC in minutes.
func muteEnd(now time.Time, choice, zone string) store.Time {
	switch choice {
	case "hour":
		return store.TimeOf(now.Add(time.Hour))
	case "tomorrow":
		behind, err := strconv.Atoi(zone)
		if err != nil || behind < -15*60 || behind > 15*60 {
			behind = 0
		}
		there := now.UTC().In(time.FixedZone("", -behind*60))
		return store.TimeOf(time.Date(there.Year(), there.Month(), there.Day()+1, morning, 0, 0, 0, there.Location()))
	case "forever":
		return forever()
	}
	return 0
}
