package page

import (
	"net/url"
	"time"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

func socialSamples(m map[string]any, me func(title, here, layout string) Frame, ada, bea, cem, bot Person) {
	reach := reachView{Total: 5, People: []Person{bea, cem, bot}, Groups: 2}
	nobody := reachView{Groups: 1}
	match := func(n byte, status, kind, terms, otherKind, otherTerms, how string) matchView {
		return matchView{AgentMatch: social.AgentMatch{ID: sampleID(n), Status: status, OwnIntent: social.OwnIntent{Kind: kind, Terms: terms},
			OtherKind: otherKind, OtherTerms: otherTerms, MatchType: how, UpdatedAt: sampleTime(0)}}
	}
	pending := match(100, "pending", "ask", "A ladder to borrow on Saturday", "offer", "I lend a ladder <3 m>", "complementary")
	awaiting := match(101, "awaiting_other", "offer", "Lemons", "ask", "ليمون للمربى", "reciprocal")
	connected := match(102, "connected", "ask", "Somebody to run with", "ask", "Running before work", "shared_goal")
	connected.ConversationID = new("x")
	closed := match(103, "closed", "ask", "A bicycle pump", "offer", "Never shown", "")
	ask := func(n byte, kind, terms, state string) askView {
		return askView{AgentIntent: social.AgentIntent{ID: sampleID(n), Kind: kind, Terms: terms}, State: state}
	}
	waits := pending
	waits.Paused = true
	ended, stopped := pending, pending
	ended.ID, ended.OwnEnded, stopped.ID = sampleID(95), true, sampleID(96)
	stopped.OwnIntent.ID, stopped.OwnIntent.Status = sampleID(109), "paused"
	late := awaiting
	late.ID, late.OwnEnded = sampleID(97), true
	open, tent := ask(104, "ask", pending.OwnIntent.Terms, "open"), ask(106, "ask", "A tent", "expired")
	open.Details, open.Until = new("The one of last year broke"), ending{sampleTime(99 * time.Hour), "in 4 days"}
	tent.Until = ending{sampleTime(-time.Hour), "ended"}
	lemons, van, chairs := ask(105, "offer", "Lemons", "open"), ask(109, "offer", "A van", "paused"), ask(108, "offer", "Chairs", "withdrawn")
	lemons.Restricted, van.Restricted, chairs.Restricted = true, true, true
	lemons.Chosen, van.Chosen, van.ResumeID = &chosenView{reach, true}, &chosenView{}, sampleID(98)
	asks := me("Asks & offers", "asks/asks", "")
	asks.DoneAct = &doneAct{Label: "Publish it again", URL: "/asks/new?again=x"}
	m["asks"] = asksView{Frame: asks, Error: "Matching is paused.", Paused: true,
		Matches: []matchView{waits, ended, stopped, awaiting, late}, Connected: []matchView{connected}, Closed: []matchView{closed},
		Open: []askView{open, lemons, van}, Ended: []askView{tent, ask(107, "ask", connected.OwnIntent.Terms, "connected"), chairs}}
	audience := audienceView{Query: "be", FindTo: "/asks/new", Error: "Tick at least one person or group.",
		Note: "Some people or groups you chose before can no longer be chosen. The others are ticked.", Reach: &reach,
		People: []choiceView{{cem, true}, {bea, false}},
		Groups: []groupChoice{{ID: sampleID(40), Title: "Sunday table", Line: "Bea, جَميل and more", Checked: true},
			{ID: sampleID(41), Title: "كتب"}}}
	wrong := failed(url.Values{"kind": {"offer"}, "terms": {""}, "details": {"Ask Bea first"}, "until": {"7d"}, "who": {"chosen"},
		"keep": {"yes"}}, core.InvalidField("terms", "terms is required: send text of 1 to 500 characters."), "terms")
	m["ask_new"] = askNewView{Frame: me("New ask or offer", "asks", ""), Form: wrong, SendID: sampleID(99), Audience: audience, InPlace: true,
		Stays: true}
	story := storyPart{Author: ada, Text: "At the allotment until six: https://garden.example/ <come>", Reach: reach,
		Until: ending{sampleTime(24 * time.Hour), "in 24 hours"}}
	part := matchPart{SentTo: "models.example", Kind: "ask", Terms: "A ladder for Saturday", Goal: "Clean the gutters",
		Seeks: []string{"a ladder", "a second pair of hands"}, Brings: []string{"cake"},
		Mode: modeText("reciprocal", false, "", []string{"a ladder"}, []string{"cake"}), Reach: nobody, KeepOpen: true,
		Until:    ending{sampleTime(24 * time.Hour), "in 24 hours"},
		Warnings: tellsWho("A ladder for Ada, 0049 170 1234567", "Ada")}
	everything := publicationView{Story: &story, Match: &part, Reply: &replyPart{To: bea, StoryText: "Soup on Sunday",
		Message: "I come with\ntwo bowls"}, Details: "The old one broke", JSON: "{\n  \"kind\": \"ask\"\n}"}
	m["preview"] = previewView{Frame: me("Preview", "asks", ""), publicationView: everything, Heading: "Preview of your ask",
		Lede: "Nothing is published yet.", Action: "/asks/new", Confirm: "Publish this ask", Step: "publish",
		Hidden: url.Values{"terms": {`A "ladder"`}}, Back: "/asks", BackLabel: "Asks & offers", Follows: followsOf(everything)}
	draft := draftView{IntentDraft: social.IntentDraft{ID: sampleID(110), AgentName: "Kitchen assistant", Goal: "Clean the gutters",
		Seeks: []string{"a ladder", "gloves"}, Brings: []string{"cake"}, Details: new("Before the rain"),
		Source: new("Bea: the gutters are full"), CreatedAt: sampleTime(0)}, Title: "Clean the gutters",
		Mode: modeText("shared_goal", false, "Clean the gutters", nil, nil), Provenance: "{\n  \"message\": \"1\"\n}", Sure: "fairly sure"}
	own := draftView{IntentDraft: social.IntentDraft{ID: sampleID(111), Brings: []string{"خبز"}, CreatedAt: sampleTime(-time.Hour)},
		Title: "خبز"}
	drafts := me("Drafts", "asks/drafts", "")
	drafts.DoneAct = &doneAct{Label: "Undo", URL: "/drafts/x/restore", Post: true, Fields: url.Values{"back": {"inbox"}}}
	m["drafts"] = rowsView[draftView]{Frame: drafts, Rows: []draftView{draft, own}}
	m["draft"] = draftPageView{Frame: me("Draft", "asks", ""), Draft: draft,
		Form: failed(url.Values{"seeks": {"a ladder\ngloves"}, "matchingMode": {"reciprocal"}, "openToCollaborators": {"yes"}},
			core.InvalidField("goal", "A draft needs a goal, or something that it seeks or brings."), "goal")}
	goalAlone := draft
	goalAlone.Seeks, goalAlone.Brings, goalAlone.Open = nil, nil, true
	m["draft_publish"] = draftPublishView{Frame: me("Publish a draft", "asks", ""), Draft: goalAlone,
		Form:     failed(url.Values{"story": {"yes"}}, core.InvalidField("kind", "Choose whether you look for this or offer it."), "kind"),
		Audience: audience}
	told := func(n byte, text, state string) ownStoryView {
		return ownStoryView{OwnedStory: social.OwnedStory{ID: sampleID(n), Text: &text}, State: state,
			Until: ending{sampleTime(9 * time.Hour), "in 9 hours"}}
	}
	shown, paused, expired := told(113, story.Text, "shown"), told(114, "خبز", "paused"), told(115, "Chairs", "expired")
	shown.Chosen, shown.Matched, paused.Chosen = &chosenView{reach, true}, true, &chosenView{nobody, true}
	expired.Until = ending{sampleTime(-time.Hour), "ended"}
	soup := feedView{social.FeedStory{ID: sampleID(112), Text: "Soup on Sunday", CreatedAt: sampleTime(0)}, bea,
		ending{sampleTime(9 * time.Hour), "in 9 hours"}}
	m["stories"] = storiesView{Frame: me("Stories", "stories/stories", ""), Error: "It has ended meanwhile.",
		Feed: []feedView{soup}, Own: []ownStoryView{shown, paused}, Ended: []ownStoryView{expired, told(116, "Beans", "withdrawn")}}
	m["story_new"] = storyNewView{Frame: me("New Story", "stories", ""), Audience: audience,
		Form: failed(url.Values{"text": {"Beans"}, "match": {"offer"}, "until": {"1d"}},
			core.InvalidField("terms", "Write in one sentence what you look for or offer."), "terms")}
	m["story_reply"] = storyReplyView{Frame: me("Reply to a Story", "stories", ""),
		Story: soup, Form: newForm("message", "I come")}
	back := draft
	inbox := backView{"inbox", "i-2"}
	back.backView, pending.backView = inbox, inbox
	request := requestView{Request: social.Request{ID: "0f", Action: "publish_story", AgentName: "Kitchen assistant", KeyName: "Kitchen",
		KeyPrefix: "oc_3fG7kQpL", CreatedAt: sampleTime(0)}, publicationView: everything,
		Until: ending{sampleTime(10 * time.Minute), "in 10 minutes"}}
	request.backView = inbox
	reply := request
	reply.Action, reply.AgentName, reply.publicationView = "respond_to_story", "", publicationView{Reply: &replyPart{Message: "I come"}}
	entry := func(kind, text string) inboxItem {
		w := store.Waiting{Kind: kind, ID: sampleID(117), Text: text, ListID: sampleID(118), ListTitle: "Jams", Note: "Ben",
			SourceURL: "https://jam.example/", UpdatedAt: sampleTime(0)}
		return inboxItem{ID: "i-" + kind, Waiting: &waitingItemView{backView: inbox, Author: bea, Waiting: w, Reason: "Spam",
			Until: ending{sampleTime(time.Hour), "in 60 minutes"}}}
	}
	m["inbox"] = inboxView{Frame: me("Inbox", "inbox", ""), More: true, Error: "This request cannot be answered any more.",
		Items: []inboxItem{
			{ID: "i-1", Request: &request}, {ID: "i-2", Request: &reply}, {ID: "i-3", Match: &pending}, {ID: "i-4", Draft: &back},
			{ID: "i-5", Expiring: &expiringView{backView: inbox, Kind: "Story", Text: "Beans", Until: ending{sampleTime(time.Hour), "in 60 minutes"},
				StoryID: sampleID(113)}},
			{ID: "i-6", Expiring: &expiringView{backView: inbox, Text: "A tent", Until: ending{sampleTime(2 * time.Hour), "in 2 hours"},
				AskID: sampleID(106), Kind: "offer"}},
			entry("friend_request", ""), entry("held_item", "Quince jam"), entry("story", "Soup on Sunday"), entry("report", "Buy now"),
			entry("feedback", "More soup")}}
	m["inbox_count"] = waitingView{3, 61, 1}
	m["audience"] = pickedView{&reach}
	matching := me("Matching", "settings/matching", "")
	matching.Simple = true
	m["settings_matching"] = matchingView{Frame: matching, Paused: true, ModeForm: newForm("mode", "simple")}
}
