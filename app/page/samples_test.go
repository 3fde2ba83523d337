package page

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/lane"
	"hearth/app/list"
	"hearth/store"
)

func sampleTime(d time.Duration) store.Time {
	return store.TimeOf(time.Date(2026, 11, 20, 9, 40, 8, 123000, time.UTC).Add(d))
}

func sampleID(n byte) string {
	return "0d9f1c52-7a31-4e0b-9c44-5b1f0e6a77" + string([]byte{'a' + n/16, "0123456789abcdef"[n%16]})
}

// samples returns values for every template that fill all its parts.
func samples() map[string]any {
	ada := Person{ID: sampleID(1), Name: "Ada Okafor", Status: "🍞 Baking bread, back at six"}
	bea := Person{ID: sampleID(2), Name: "Bea Lindqvist", Picture: "/api/pictures/" + sampleID(90)}
	cem := Person{ID: sampleID(3), Name: "جَميل الحسن"}
	bot := Person{ID: sampleID(4), Name: "Pantry", IsBot: true, Presence: "busy", Status: "Counts the jars"}
	me := func(title, here, layout string) Frame {
		here, tab, _ := strings.Cut(here, "/")
		return Frame{Title: title, Here: here, Tab: tab, Layout: layout, Me: &ada, Unread: unreadView{UnreadTotal: 12},
			waitingView: waitingView{Inbox: 3},
			Path:        "/somewhere?x=1&y=2", Done: "Saved."}
	}
	guest := func(title string) Frame {
		return Frame{Title: title, Here: "login", Layout: "narrow", Path: "/chat"}
	}
	wrong := failed(url.Values{"email": {"ada@"}, "code": {"12345"}, "name": {"Ada"}},
		core.InvalidField("email", "This is not an e-mail address. Write it like ada@example.org."), "email")
	whole := failed(url.Values{}, errors.New("boom"), "email")

	m := map[string]any{
		"docs":  docsView{Frame: guest("Settings"), Body: "<h1>Settings</h1>\n<p>What a server can do.</p>"},
		"login": loginView{Frame: guest("Sign in"), Form: wrong, Next: "/chat"},
		"login_code": loginCodeView{Frame: guest("Sign in"), Form: failed(url.Values{"code": {"12345"}},
			core.InvalidField("code", "This code is not right, or it is used up. Ask for a new one."), "code"), Email: "ada@example.org",
			LogOnly: true, Admin: "Ada Okafor"},
		"login_verify": loginVerifyView{Frame: guest("Sign in"), Form: whole, Token: "tok-en",
			Link: account.Link{Email: "ada@example.org", Claimed: true}},
		"claim": claimView{Frame: guest("Set up your server"), Form: wrong, Token: "tok-en", SendsMail: true},
		"error": errorView{Frame: me("Not found", "", "narrow"), Heading: "Page not found", Typed: []string{"I come", "خبز"},
			RequestID: "5f2c09",
			Message:   core.ErrNotFound.Msg, OfferLogin: true},
	}
	listSamples(m, me, ada, bea, cem, bot)
	chatSamples(m, me, ada, bea, cem, bot)
	streamSamples(m, me)
	contextSamples(m, me)
	settingsSamples(m, me)
	peopleSamples(m, me, guest, ada, bea, cem, bot)
	webhookSamples(m, me)
	socialSamples(m, me, ada, bea, cem, bot)
	adminSamples(m, me, ada, bea, cem, bot)
	return m
}

func listSamples(m map[string]any, me func(title, here, layout string) Frame, ada, bea, cem, bot Person) {
	soups := list.List{ID: sampleID(20), Title: "Soups for rainy days",
		Description: "Anything that simmers. From https://soups.example/ and our own pots.", Visibility: "public-edit", OwnerName: "Ada Okafor",
		ItemCount: 3, UpdatedAt: sampleTime(0), Checkable: true, CheckedCount: new(2)}
	books := list.List{ID: sampleID(21), Title: "كتب نقرؤها معًا", Description: "One a month", Visibility: "private",
		OwnerName: "جَميل الحسن", ItemCount: 1, UpdatedAt: sampleTime(-30 * time.Hour)}
	walks := list.List{ID: sampleID(22), Title: "Walks that end at a bakery", Visibility: "public", OwnerName: "Bea Lindqvist", ItemCount: 28,
		UpdatedAt: sampleTime(-90 * time.Hour)}
	gifts := list.List{ID: sampleID(23), Title: "Presents (do not tell Bea)", Visibility: "unlisted", OwnerName: "Ada Okafor", ItemCount: 0,
		UpdatedAt: sampleTime(-900 * time.Hour)}
	items := []itemView{
		{Item: list.Item{ID: sampleID(30), ListID: soups.ID,
			Content: "Red lentil with lemon.\nThe one from https://soups.example/lentil (twice the cumin).", AuthorID: new(sampleID(1)),
			AuthorName: "Ada Okafor", SourceURL: new("https://www.soups.example/lentil?serves=4"), SourceNote: new("Grandmother's, more or less"),
			CreatedAt: sampleTime(0), UpdatedAt: sampleTime(time.Hour)}, Number: 1, Brief: "Red lentil with lemon."},
		{Item: list.Item{ID: sampleID(31), ListID: soups.ID, Position: 1, Content: "Potato and leek", AuthorID: new(sampleID(2)),
			AuthorName: "Bea Lindqvist", CreatedAt: sampleTime(time.Minute), UpdatedAt: sampleTime(time.Minute)},
			Number: 2, Brief: "Potato and leek"},
		{Item: list.Item{ID: sampleID(32), ListID: soups.ID, Position: 2, Content: "Miso with whatever is left",
			AuthorName: "Anonymous (kitchen-agent)", SourceURL: new("https://miso.example/"), SourceNote: new("kitchen-agent"),
			CreatedAt: sampleTime(2 * time.Minute), UpdatedAt: sampleTime(2 * time.Minute)}, Number: 3, Reported: true},
	}
	for n := range items {
		items[n].CanCheck, items[n].Checked = n < 2, new(n != 1)
	}
	items[0].CheckedAt, items[0].CheckedByName, items[0].DoneByURL = new(sampleTime(time.Hour)), new("Bea Lindqvist"), "/people/"+sampleID(2)
	form := failed(url.Values{"title": {"Soups"}, "description": {"All of them"}, "visibility": {"public"}, "checkable": {"no", "yes"},
		"items": {"Lentil\nMiso"}},
		core.InvalidField("title", "There is a title already. Choose a different title."), "title")
	m["list_index"] = listIndexView{Frame: me("Lists", "lists", ""), Mine: []list.List{soups, books, gifts}, Public: []list.List{soups, walks},
		MinePager:   pager{Label: "Pages of your lists", Next: "/?mine=50"},
		PublicPager: pager{Label: "Pages of public lists", Prev: "/?public=0", Next: "/?public=100"}}
	m["list_new"] = listFormView{Frame: me("New list", "lists", ""), Form: form}
	m["list_import"] = listImportView{Frame: me("Import a list", "lists", ""), Data: "\n- <b>Rye</b>", About: "From a shelf.", Total: 120,
		Links: 2, Checkable: true, Checked: 1,
		Form: failed(url.Values{"title": {""}, "visibility": {"private"}},
			core.InvalidField("title", "title is required: send text of 1 to 200 characters."), "title"),
		Items: []list.PortableItem{{Content: "Rye <b>bread</b>", Link: "https://bread.example/rye", SourceNote: "from a friend"},
			{Content: "خبز", Checked: true}}}
	m["list_edit"] = listFormView{Frame: me("Edit", "lists", ""), Form: form, List: soups, CanOwn: true}
	shown := itemsView{List: soups, Items: items, From: 1, CanAdd: true, CanEdit: true,
		pager: pager{Prev: "/list/x?offset=0", Next: "/list/x?offset=100"}}
	m["list_items"] = shown
	m["list"] = listPageView{Frame: me(soups.Title, "lists", ""), itemsView: shown, CanOwn: true, Shared: true, Waiting: 2,
		Form: failed(url.Values{"content": {"Gulasch"}, "link": {"soups.example"}},
			core.InvalidField("link", "A link begins with http:// or https://."), "content", "link"), BaseURL: "http://127.0.0.1:8080",
		AgentKey: "pub_0123456789"}
	m["list_item"] = listItemView{Frame: me("Item", "lists", ""), List: soups, Item: items[0], Back: "/list/" + soups.ID + "#item-" +
		items[0].ID, CanEdit: true, CanMove: true,
		MoveForm: failed(url.Values{"position": {"99"}}, core.InvalidField("position", "position must be a whole number from 1 to 3."),
			"position"),
		Metadata: []entry{{"serves", "4"}, {"tags", `["warm","red"]`}},
		Form:     newForm("content", items[0].Content, "link", *items[0].SourceURL, "source_note", *items[0].SourceNote)}
	item := m["list_item"].(listItemView)
	item.Item.StarCount, item.Item.Starred, item.CommentTotal, item.CommentPager = 3, true, 3,
		pager{Prev: "/list/x/item/y?comments=0", Next: "/list/x/item/y?comments=100"}
	item.AlsoOn = list.AlsoOn{Count: 2, Lists: []list.LinkUse{{ListID: books.ID, Title: books.Title, ItemID: sampleID(33)}}}
	item.Preview = &list.LinkPreview{Title: new("Red lentil soup <with> lemon"), SiteName: new("soups.example"),
		Description: new("Ready in half an hour, and better the day after.")}
	item.Comments = []commentView{
		{Comment: list.Comment{ID: sampleID(34), AuthorName: "Bea Lindqvist", Content: "Less lemon for me: https://soups.example/",
			CreatedAt: sampleTime(0)}, CanAnswer: true, CanDelete: true},
		{Comment: list.Comment{ID: sampleID(35), Depth: 1, AuthorName: "Cem", Content: "أكثر لي", CreatedAt: sampleTime(time.Minute)},
			CanAnswer: true, Answering: true,
			Form: Form{Prefix: "answer1-", Values: url.Values{"content": {""}}, Errors: map[string]string{"content": "Text is missing."}}},
		{Comment: list.Comment{ID: sampleID(36), Depth: 7, DeletedAt: new(sampleTime(3 * time.Minute)), CreatedAt: sampleTime(2 * time.Minute)}}}
	item.CommentForm = Form{Prefix: "comment-"}
	m["list_item"] = item
	m["list_search"] = listSearchView{Frame: me("Search: lentil", "lists", ""), Query: "lentil", First: true,
		Next: "/list/search?q=lentil&cursor=x", SearchOut: list.SearchOut{Lists: []list.List{soups}, Items: []list.FoundItem{{ID: "y",
			ListID: "x", ListTitle: soups.Title, AuthorName: "Ada Okafor", UpdatedAt: sampleTime(0), Content: "Red lentil with <lemon>",
			Highlights: [][]int{{4, 10}}}}}}
	m["list_queue"] = listQueueView{Frame: me("Waiting items", "lists", ""), List: soups, Items: items[2:], Total: 120}
	m["receipt"] = receiptView{Frame: Frame{Title: "Your item", Here: "lists", Layout: "narrow"}, Receipt: "rc_X", Item: items[2],
		ReceiptOut: list.ReceiptOut{ListTitle: soups.Title, Held: true, ExpiresAt: sampleTime(24 * time.Hour)},
		Form:       newForm("content", items[2].Content, "link", "https://miso.example/")}
	m["list_people"] = listPeopleView{Frame: me("People", "lists", ""), List: soups, Owner: ada, CanOwn: true, Query: "p",
		URL: "https://hearth.example/list/soups", Code: "data:image/svg+xml;base64,PHN2Zy8+",
		Found:  []Person{bot},
		Form:   failed(url.Values{}, core.New(core.Conflict, "full", "A list is shared with at most 200 people. Remove someone first.")),
		People: []listMember{{Person: bea, Role: "editor"}, {Person: cem, Role: "viewer"}}}
}

func chatSamples(m map[string]any, me func(title, here, layout string) Frame, ada, bea, cem, bot Person) {
	column := columnView{More: "/chat?until=2026", First: true, Rows: []rowView{
		{ID: sampleID(40), Title: "Sunday table", Preview: "Bea: I bring the bread", Face: Person{ID: sampleID(40), Name: "Sunday table"},
			LastAt: sampleTime(0), Current: true},
		{ID: sampleID(41), Title: bea.Name, Preview: "See you at the bakery then, and bring the long umbrella", Face: bea,
			LastAt: sampleTime(-time.Hour), Unread: 3},
		{ID: sampleID(42), Title: cem.Name, Preview: "قرأت الفصل الأول", Face: cem, LastAt: sampleTime(-26 * time.Hour),
			Unread: 120, Muted: true},
		{ID: sampleID(43), Title: "My notes", Face: ada},
	}}
	head := headView{ID: sampleID(40), Title: "Sunday table", Prompt: "Message Sunday table", Line: "Ada, Bea, جَميل and Pantry",
		Face: column.Rows[0].Face, Back: "/chat", BackLabel: "Back to all conversations", PeopleURL: "/chat/" + sampleID(40) + "/people",
		StreamURL: "/chat/" + sampleID(40) + "/stream"}
	msg := func(n byte, by Person, after time.Duration, content string) messageView {
		return messageView{ID: sampleID(n), ConversationID: head.ID, Sender: by, Own: by.ID == ada.ID, Content: content,
			CreatedAt: sampleTime(after)}
	}
	first := msg(50, bea, -26*time.Hour, "Who cooks on Sunday?\nI can bring bread: https://bakery.example/rye_(dark).")
	first.NewDay = true
	first.Reactions = []reactionView{{Emoji: "👍", Name: "Thumbs up", Count: 3, Own: true},
		{Emoji: "📎", Name: "Paperclip", Count: 1, Href: "https://files.example/rye", Host: "files.example"}}
	second := msg(51, bea, -26*time.Hour+time.Minute, "And butter.")
	second.Run, second.Picking = true, true
	second.Files = []fileView{
		{Name: "oven.jpg", URL: "/api/chat/attachments/" + sampleID(91), Preview: "/api/chat/attachments/" + sampleID(91) + "?preview=true",
			Kind: "image", Size: 480_000, Width: 320, Height: 213},
		{Name: "plan <final>.pdf", URL: "/api/chat/attachments/" + sampleID(92), Kind: "", Size: 12_345},
		{Name: "clip.mp4", URL: "/api/chat/attachments/" + sampleID(93), Kind: "video", Size: 5_000_000},
		{Name: "note.m4a", URL: "/api/chat/attachments/" + sampleID(94), Kind: "audio", Size: 40_000, Duration: "0:42"}}
	second.Transcript = "The oven is warm."
	third := msg(52, ada, -25*time.Hour, "I make the lentil soup, the red one. There is enough for eight if everybody brings a bowl.")
	third.Edited, third.Deleting = true, true
	fourth := msg(53, cem, 0, "سأحضر الحلوى، ومعها الشاي")
	fourth.NewDay, fourth.FirstUnread = true, true
	fourth.ReplyTo = &quoteView{ID: first.ID, SenderName: bea.Name, Content: "Who cooks on Sunday?"}
	fifth := msg(54, ada, time.Minute, "Order placed: 2 kg lentils, 6 lemons.")
	fifth.AgentName = "Kitchen assistant"
	sixth := msg(55, bot, 2*time.Minute, "")
	sixth.Deleted = true
	seventh := msg(56, bea, 3*time.Minute, "I am away from the table until six.")
	seventh.ViaSecretary = true
	card := msg(57, bot, 4*time.Minute, "")
	card.Card = &serverCard{Sides: [2]cardSide{{"One of you asks", "A bread oven for one Sunday"},
		{"The other offers", "يمكنني مشاركة الفرن"}}}
	half := msg(59, bot, 4*time.Minute+time.Second, "")
	half.Card = &serverCard{Sides: [2]cardSide{{"One of you asks", ""}, {"The other offers", "A bread oven"}}}
	editing := msg(58, ada, 5*time.Minute, "Six o'clock then")
	editing.Editing, editing.Edit = true, Form{Prefix: "edit-", Values: url.Values{"content": {"Six o'clock then"}},
		Errors: map[string]string{"content": "Write something, or delete the message."}}
	m["chat_index"] = chatIndexView{Frame: me("Chat", "chat", "chat"), columnView: columnView{Rows: column.Rows[1:], First: true}}
	m["chat"] = chatView{Frame: me("Sunday table", "chat", "chat"), columnView: column, Head: head, Older: "/chat/x?before=2026",
		Newer: "/chat/x?after=2026", Latest: true,
		Messages: []messageView{first, second, third, fourth, {CreatedAt: sampleTime(time.Hour),
			Change: &changeView{At: sampleTime(time.Hour), Text: "Cem joined"}}, fifth, sixth, seventh, card, half, editing}, SendID: sampleID(60),
		Reply: &quoteView{ID: third.ID, SenderName: ada.Name, Content: third.Content},
		Form: failed(url.Values{"content": {"I also bring"}}, core.TooManyAfter(time.Second, "too_many",
			"That was quick. Wait a second, then send again.")),
		Blank: blankMessage(), Stream: sampleStream(), Newcomer: &newcomerView{Text: "Bring a cup", People: []Person{bea},
			Lists: []list.List{{ID: "x", Title: "Soups"}}}}
	m["search"] = searchView{Frame: me("Search", "chat", ""), Query: "bread from:bea", In: head.ID, InTitle: head.Title,
		AllURL: "/search?q=bread", People: []Person{bea, bot}, Asked: true, First: true,
		Older: "/search?q=bread&cursor=x", Searched: sampleTime(-90 * time.Hour), Results: []resultView{
			{URL: "/chat/x?at=y#m-y", Title: "Sunday table", Sender: bea, At: sampleTime(0),
				Parts: []markedText{{"Who cooks on Sunday? I can bring ", false}, {"bread", true}, {": https://bakery.example/rye", false}}},
			{URL: "/chat/x?at=z#m-z", Title: cem.Name, Sender: ada, Own: true, At: sampleTime(-26 * time.Hour),
				Parts: []markedText{{"Bread", true}, {" and tea <then>", false}}}}}
	m["chat_open"] = chatOpenView{Frame: me("Rooms", "chat", "chat"), columnView: column, Groups: []openView{
		{chat.OpenConversation{ID: head.ID, Title: "Everyone", ParticipantCount: 12, Default: true, Member: true}, head.Face},
		{chat.OpenConversation{ID: sampleID(61), Title: "Garden <b>", ParticipantCount: 1}, Person{ID: sampleID(61), Name: "Garden"}}}}
	m["chat_updates"] = updatesView{Head: &head, Messages: []messageView{third, sixth}, Rows: column.Rows[:2],
		Unread: unreadView{UnreadTotal: 3}}
	m["chat_invite"] = inviteView{Frame: me("Sunday table", "chat", "narrow"),
		Invite: chat.Invite{Title: new("Sunday table"), InvitedBy: bea.Name, MemberCount: 4}, Token: "tok-en"}
	m["chat_new"] = chatNewView{Frame: me("New conversation", "chat", "chat"), columnView: column, Form: newForm("title", "Sunday table"),
		Query: "be", Chosen: []Person{cem}, Found: []Person{bea, bot}}
	m["chat_people"] = chatPeopleView{Frame: me("Sunday table", "chat", "chat"), columnView: column, Head: head, IsGroup: true,
		CanManage: true, OpenForm: newForm("open", "yes"), Muted: sampleTime(time.Hour), Notify: newForm("notify", "mentions"),
		Invite: "http://127.0.0.1:8080/chat/invite/tok-en",
		Invites: []chat.GroupInvite{{ID: sampleID(90), CreatedBy: chat.InvitedBy{ID: bea.ID, Name: bea.Name}, UsesLeft: 1,
			ExpiresAt: sampleTime(99 * time.Hour)}}, Form: newForm("title", "Sunday table"), Query: "p",
		People: []participant{{Person: ada, Owner: true, You: true}, {Person: bea, CanRemove: true}, {Person: cem, CanRemove: true},
			{Person: bot, CanRemove: true}}, Found: []Person{bot}}
}

func settingsSamples(m map[string]any, me func(title, here, layout string) Frame) {
	key := keyView{AgentKey: account.AgentKey{ID: sampleID(70), Name: "Kitchen assistant", KeyPrefix: "oc_3fG7kQpL",
		AgentName: new("Kitchen assistant 2"), Scopes: []string{"read", "write"}, CreatedAt: sampleTime(-99 * time.Hour),
		LastUsedAt: new(sampleTime(0)), ExpiresAt: new(sampleTime(900 * time.Hour)), Bot: &account.KeyBot{Name: "Pantry"},
		LastUse: &account.KeyUse{Operation: "Send a message", Failed: true, Uses: 3, LastAt: sampleTime(0)}}, Kind: "agent", CanEdit: true,
		Form: Form{Prefix: "k1-", Values: url.Values{"name": {"Kitchen assistant"}, "scopes": {"read", "write"}}}}
	old := keyView{AgentKey: account.AgentKey{ID: sampleID(71), Name: "Reader on the shelf", KeyPrefix: "cl_9aBcDeFg",
		Scopes: []string{"read"}, CreatedAt: sampleTime(-999 * time.Hour)}, Kind: "list", Ended: "revoked"}
	m["settings_export"] = rowsView[exportRangeView]{Frame: me("Your data", "settings/data", ""), Rows: []exportRangeView{
		{"last_day", "Last day", "Messages and notes of the last 24 hours."}, {"all_time", "All time", "Every message and note."}}}
	admin := me("Delete account", "settings/data", "")
	admin.Admin = true
	m["settings_delete"] = deleteView{Frame: admin, Email: "ada@example.org",
		Form: failed(url.Values{"address": {"ada@"}}, core.InvalidField("address", "This is not the e-mail address of your account."), "address")}
	m["account_deleted"] = Frame{Title: "Account deleted", Here: "login", Layout: "narrow"}
	m["settings"] = settingsView{Frame: me("Settings", "settings/profile", ""), Email: "ada@example.org",
		Form:         newForm("name", "Ada Okafor", "avatarUrl", "", "discoveryMode", "name", "groupAdds", "everybody"),
		PresenceForm: newForm("presenceStatus", "busy"),
		StatusForm: failed(url.Values{"text": {"Baking bread, back at six"}, "emoji": {"🍞🍞🍞🍞🍞🍞🍞🍞🍞🍞🍞"}},
			core.InvalidField("emoji", "At most 10 characters fit here."), "text", "emoji")}
	m["settings_sessions"] = rowsView[account.Session]{Frame: me("Devices", "settings/sessions", ""), Rows: []account.Session{
		{ID: sampleID(80), Kind: "browser", Device: "Firefox on Linux", CreatedAt: sampleTime(-50 * time.Hour),
			ExpiresAt: sampleTime(900 * time.Hour),
			Current:   true},
		{ID: sampleID(81), Device: "Safari on iPhone", CreatedAt: sampleTime(-500 * time.Hour), ExpiresAt: sampleTime(50 * time.Hour),
			Kind: "token"}}}
	m["settings_key_activity"] = keyActivityView{Frame: me("Activity of a key", "settings/keys", ""), Key: key,
		Activity: []account.KeyUse{
			*key.LastUse, {Operation: "List messages in a conversation", Uses: 1, LastAt: sampleTime(-time.Hour)}}}
	m["settings_secretary"] = secretaryView{Frame: me("Automatic answers", "settings/secretary", ""), Enabled: true, Tried: "wifi pw?",
		Reply: "On the board in the hall.\nIt changes on Mondays.",
		Answers: []answerView{{SecretaryAnswer: chat.SecretaryAnswer{ID: sampleID(85), Question: "What is the wifi password?",
			Answer: "On the board in the hall.\nIt changes on Mondays.", UpdatedAt: sampleTime(0)},
			Form: Form{Prefix: "answer0-", Values: url.Values{"question": {""}, "answer": {"On the board"}},
				Errors: map[string]string{"question": "Question is missing."}}}},
		Form: newForm("question", "أين يمكنني الوقوف؟", "answer", "خلف الطاحونة"), Try: newForm("try", "wifi pw?")}
	key.Receiving, old.Receiving = &lane.ReceivingKey{Usable: true, Enabled: true}, nil
	m["settings_keys"] = keysView{Frame: me("Keys", "settings/keys", ""), Keys: []keyView{key, old},
		Bots: []botView{{Person: Person{ID: sampleID(4), Name: "Pantry", IsBot: true}, CreatedAt: sampleTime(-9 * time.Hour),
			Form: Form{Prefix: "bot0-", Values: url.Values{"name": {""}, "avatarUrl": {"https://pictures.example/jar.png"}},
				Errors: map[string]string{"name": "Name is missing."}}}},
		Form: newForm("name", "", "scopes", "read", "days", "90"), Created: &account.NewAgentKey{
			AgentKey: account.AgentKey{Name: "Kitchen assistant"}, Key: "oc_3fG7kQpLxW0vYt5mZr8NcBdHj2sKuEa4q9Ri6oTgAbC1D2eF"}}
}

func sampleStream() streamView {
	return streamView{URL: "/chat/x/stream", AddURL: "/chat/x/stream", Older: "/chat/x/stream?until=2026", Entries: []entryView{
		{ID: sampleID(91), Text: "#decision We meet at six.\nBring a bowl.", Author: "Bea Lindqvist", Kind: "decision",
			Tags: []tagView{{"decision", "/chat/x/stream?tag=decision"}}, CreatedAt: sampleTime(0), Pinned: true, CanUnpin: true,
			MessageURL: "/chat/x#m-y", UnpinURL: "/chat/x/stream/y/unpin", CollapseURL: "/chat/x/stream/y/collapsed"},
		{ID: sampleID(92), Text: "Ask Bea about the umbrella", Author: "You", Status: "open", Kind: "reminder", CreatedAt: sampleTime(time.Hour),
			Private: true, EditURL: "/thoughts/y", PinURL: "/chat/x/stream/y/pin", CollapseURL: "/chat/x/stream/y/collapsed"},
		{ID: sampleID(93), Line: "The recipe is on the fridge", Author: "جَميل الحسن", CreatedAt: sampleTime(2 * time.Hour),
			Collapsed: true, PinURL: "/chat/x/stream/y/pin", CollapseURL: "/chat/x/stream/y/collapsed"},
	}}
}

func streamSamples(m map[string]any, me func(title, here, layout string) Frame) {
	stream := sampleStream()
	stream.Tag, stream.Page = "decision", true
	stream.Form = failed(url.Values{"text": {""}}, core.InvalidField("text", "text is required: send text of 1 to 4000 characters."), "text")
	shown := m["chat"].(chatView)
	m["chat_stream"] = chatStreamView{Frame: me("Notes of Sunday table", "chat", "chat"), columnView: shown.columnView, Head: shown.Head,
		Stream: stream}
	t := thoughtView{ID: sampleID(94), Text: "Six lemons, see https://soups.example/", MessageURL: "/chat/x#m-y"}
	note := entryView{ID: t.ID, Text: t.Text, Kind: "fact", Status: "open", EditURL: "/thoughts/" + t.ID,
		Tags: []tagView{{"soup", "/thoughts?tag=soup"}}, CreatedAt: sampleTime(0), MessageURL: "/chat/x#m-y", Shared: true}
	m["thoughts"] = thoughtsView{Frame: me("My notes", "thoughts", ""), Form: stream.Form, Stream: streamView{URL: "/thoughts", Tag: "soup",
		Older:   "/thoughts?until=2026",
		Entries: []entryView{note, {ID: sampleID(95), Text: "فكرة", CreatedAt: sampleTime(-time.Hour), Private: true}}}}
	m["thought"] = thoughtPageView{Frame: me("Note", "thoughts", ""), Thought: t,
		Form: newForm("text", t.Text, "kind", "fact", "status", "open", "tags", "soup"),
		Pins: []pinView{{sampleID(40), "Sunday table"}}, Others: []pinView{{sampleID(41), "Bea Lindqvist"}}}
}
