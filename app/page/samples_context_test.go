package page

import (
	"net/url"
	"time"

	"hearth/app/core"
	"hearth/app/lane"
)

func contextSamples(m map[string]any, me func(title, here, layout string) Frame) {
	const page = "/chat/x/context"
	wrong := failed(url.Values{"text": {"The tap <leaks>"}}, core.New(core.Conflict, "revision_mismatch", "The post was changed meanwhile."),
		"text")
	wrong.Prefix = "edit-" + sampleID(127) + "-"
	edit := newForm("text", "Who has a ladder?")
	edit.Prefix = "edit-" + sampleID(128) + "-"
	item := func(n byte, author, text string) laneItem {
		return laneItem{ID: sampleID(n), Author: author, Text: text, CreatedAt: sampleTime(time.Duration(n) * time.Minute), ActionURL: page +
			"/y", ReplyURL: page + "?reply=y", EditURL: page + "?edit=y",
			DeleteURL: page + "?delete=y", ContextURL: page, Revision: 1, RequestID: "t"}
	}
	asked := item(120, "Bea Lindqvist", "Who knows a good plumber? https://plumber.example/ <cheap>")
	asked.Kind, asked.State, asked.Changed, asked.Edited, asked.Asked = "ask", "open", true, true,
		&lane.Asked{Agents: 3, Completed: 1, Pending: 2}
	answer := item(121, "جَميل الحسن", "Ana, she repaired ours.\nShe comes on Saturdays.")
	answer.AgentName, answer.Parent = "Kitchen assistant", &laneParent{asked.ID, "Bea Lindqvist", "Who knows a good plumber?"}
	own := item(122, "You", "I can lend a drill")
	own.Own, own.CanDelete, own.CanTrack, own.Kind = true, true, true, "offer"
	tracked := item(123, "You", "A drill to borrow")
	tracked.Own, tracked.CanDelete, tracked.Kind, tracked.State, tracked.IntentID, tracked.Intention = true, true, "ask", "fulfilled",
		sampleID(130), 2
	open := tracked
	open.ID, open.State, open.Deleting = sampleID(124), "open", true
	gone := item(125, "Bea Lindqvist", "")
	gone.Deleted, gone.Parent = true, &laneParent{ID: sampleID(126), Author: "You"}
	conflict := item(127, "You", "The tap drips")
	conflict.Own, conflict.Edit, conflict.Conflict, conflict.Now = true, &wrong, true, "The tap is <repaired>"
	editing := item(128, "You", "Who has a ladder?")
	editing.Own, editing.Edit = true, &edit
	entry := sampleStream().Entries[0]
	contextLane := laneView{URL: page, EventsURL: "/api/chat/conversations/x/context/events", Filter: "all", Search: "drill", Older: page +
		"?cursor=z", SendID: sampleID(129), Page: true,
		Error: "No agent in this conversation receives requests.", Done: "The agents are asked.",
		Reply: &laneParent{asked.ID, "Bea Lindqvist", "Who knows a good plumber?"},
		Form: failed(url.Values{"text": {""}, "kind": {"offer"}}, core.InvalidField("text",
			"text is required: send text of 1 to 20000 characters."), "text"),
		Items: []laneItem{conflict, editing, asked, answer, own, tracked, open, gone, {ID: entry.ID, Entry: &entry}}}
	shown := m["chat"].(chatView)
	shown.Head.Tab = "context"
	m["chat_context"] = chatContextView{Frame: me("Context of Sunday table", "chat", "chat"), columnView: shown.columnView, Head: shown.Head,
		Lane: contextLane}
	m["settings_key_requests"] = keyRequestsView{Frame: me("What Kitchen was asked", "settings/keys", ""), Name: "Kitchen",
		Older: "/settings/api-keys/x/requests?until=2026",
		Requests: []lane.KeyRequest{
			{ConversationID: "x", Requester: lane.ContextAuthor{Name: "Bea Lindqvist"}, ConversationTitle: "Sunday table",
				Text: asked.Text, Reply: answer.Text, State: "completed", PostID: "y",
				CreatedAt: sampleTime(0)},
			{ConversationID: "x", Requester: lane.ContextAuthor{Name: "جَميل"}, State: "expired", PostID: "z", CreatedAt: sampleTime(-time.Hour)},
			{ConversationID: "x", Requester: lane.ContextAuthor{Name: "Cem"}, ConversationTitle: "كتب",
				Text: "Who?", State: "pending", PostID: "z", CreatedAt: sampleTime(-time.Hour)}}}
}
