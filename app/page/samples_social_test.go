package page

import (
	"net/url"
	"time"

	"hearth/app/core"
)

func socialSamples(m map[string]any, me func(title, here, layout string) Frame, ada, bea, cem, bot Person) {
	reach := reachView{Total: 5, People: []Person{bea, cem, bot}, Groups: 2}
	nobody := reachView{Groups: 1}
	pending := matchView{ID: sampleID(100), Status: "pending", OwnKind: "ask", OwnTerms: "A ladder to borrow on Saturday", OtherKind: "offer",
		OtherTerms: "I lend a ladder <3 m>", Type: "complementary", UpdatedAt: sampleTime(0)}
	awaiting := matchView{ID: sampleID(101), Status: "awaiting_other", OwnKind: "offer", OwnTerms: "Lemons", OtherKind: "ask",
		OtherTerms: "ليمون للمربى", Type: "reciprocal", UpdatedAt: sampleTime(0)}
	connected := matchView{ID: sampleID(102), Status: "connected", OwnKind: "ask", OwnTerms: "Somebody to run with", OtherKind: "ask",
		OtherTerms: "Running before work", Type: "shared_goal", ConversationURL: "/chat/x", UpdatedAt: sampleTime(0)}
	closed := matchView{ID: sampleID(103), Status: "closed", OwnKind: "ask", OwnTerms: "A bicycle pump", OtherKind: "offer",
		OtherTerms: "Never shown", UpdatedAt: sampleTime(0)}
	waits := pending
	waits.Paused = true
	ended, stopped := pending, pending
	ended.ID, ended.OwnEnded, stopped.ID, stopped.OwnID, stopped.OwnPaused = sampleID(95), true, sampleID(96), sampleID(109), true
	late := awaiting
	late.ID, late.OwnEnded = sampleID(97), true
	asks := me("Asks & offers", "asks", "")
	asks.DoneAct = &doneAct{Label: "Publish it again", URL: "/asks/new?again=x"}
	m["asks"] = asksView{Frame: asks, Tab: "asks", Error: "Matching is paused.", Paused: true,
		Matches: []matchView{waits, ended, stopped, awaiting, late}, Connected: []matchView{connected}, Closed: []matchView{closed},
		Open: []askView{{ID: sampleID(104), Kind: "ask", Terms: pending.OwnTerms, Details: "The one of last year broke", State: "open",
			Until: ending{sampleTime(99 * time.Hour), "in 4 days"}}, {ID: sampleID(105), Kind: "offer", Terms: "Lemons", State: "open",
			Restricted: true, Chosen: &chosenView{reach, true}},
			{ID: sampleID(109), Kind: "offer", Terms: "A van", State: "paused", ResumeID: sampleID(98), Restricted: true, Chosen: &chosenView{}}},
		Ended: []askView{{ID: sampleID(106), Kind: "ask", Terms: "A tent", State: "expired", Until: ending{sampleTime(-time.Hour), "ended"}},
			{ID: sampleID(107), Kind: "ask", Terms: connected.OwnTerms, State: "connected"},
			{ID: sampleID(108), Kind: "offer", Terms: "Chairs", State: "withdrawn", Restricted: true}}}
	audience := audienceView{Query: "be", FindTo: "/asks/new", Error: "Tick at least one person or group.",
		Note: "Some of those whom you chose before can no longer be chosen. The others are ticked.", Reach: &reach,
		People: []choiceView{{cem, true}, {bea, false}},
		Groups: []groupChoice{{ID: sampleID(40), Title: "Sunday table", Line: "Bea, جَميل and more", Checked: true},
			{ID: sampleID(41), Title: "كتب"}}}
	wrong := failed(url.Values{"kind": {"offer"}, "terms": {""}, "details": {"Ask Bea first"}, "until": {"7d"}, "who": {"chosen"},
		"keep": {"yes"}}, core.InvalidField("terms", "terms is required: send text of 1 to 500 characters."), "terms")
	m["ask_new"] = askNewView{Frame: me("New ask or offer", "asks", ""), Form: wrong, SendID: sampleID(99), Audience: audience, InPlace: true,
		Stays: true}
	story := storyPart{Author: ada, Text: "At the allotment until six: https://garden.example/ <come>", Reach: reach,
		Until: ending{sampleTime(24 * time.Hour), "in 24 hours"}}
	match := matchPart{SentTo: "models.example", Kind: "ask", Terms: "A ladder for Saturday", Goal: "Clean the gutters",
		Seeks: []string{"a ladder", "a second pair of hands"}, Brings: []string{"cake"},
		Mode: modeText("reciprocal", false, "", []string{"a ladder"}, []string{"cake"}), Reach: nobody, KeepOpen: true,
		Until:    ending{sampleTime(24 * time.Hour), "in 24 hours"},
		Warnings: tellsWho("A ladder for Ada, 0049 170 1234567", "Ada")}
	everything := publicationView{Story: &story, Match: &match, Reply: &replyPart{To: bea, StoryText: "Soup on Sunday",
		Message: "I come with\ntwo bowls"}, Details: "The old one broke", JSON: "{\n  \"kind\": \"ask\"\n}"}
	m["preview"] = previewView{Frame: me("Preview", "asks", ""), publicationView: everything, Heading: "Preview of your ask",
		Lede: "Nothing is published yet.", Action: "/asks/new", Confirm: "Publish this ask", Step: "publish",
		Hidden: []hiddenField{{"terms", `A "ladder"`}}, Back: "/asks", BackLabel: "Asks & offers", Follows: followsOf(everything)}
	draft := draftView{ID: sampleID(110), Title: "Clean the gutters", AgentName: "Kitchen assistant", Goal: "Clean the gutters",
		Seeks: []string{"a ladder", "gloves"}, Brings: []string{"cake"}, Mode: modeText("shared_goal", false, "Clean the gutters", nil, nil),
		Details: "Before the rain", Source: "Bea: the gutters are full", Provenance: "{\n  \"message\": \"1\"\n}", Sure: "fairly sure",
		CreatedAt: sampleTime(0)}
	own := draftView{ID: sampleID(111), Title: "خبز", Brings: []string{"خبز"}, CreatedAt: sampleTime(-time.Hour)}
	drafts := me("Drafts", "asks", "")
	drafts.DoneAct = &doneAct{Label: "Undo", URL: "/drafts/x/restore", Post: true, Fields: []hiddenField{{"back", "review"}}}
	m["drafts"] = draftsView{Frame: drafts, Tab: "drafts", Drafts: []draftView{draft, own}}
	m["draft"] = draftPageView{Frame: me("Draft", "asks", ""), Draft: draft,
		Form: failed(url.Values{"seeks": {"a ladder\ngloves"}, "matchingMode": {"reciprocal"}, "openToCollaborators": {"yes"}},
			core.InvalidField("goal", "A draft needs a goal, or something that it seeks or brings."), "goal")}
	goalAlone := draft
	goalAlone.Seeks, goalAlone.Brings, goalAlone.Open = nil, nil, true
	m["draft_publish"] = draftPublishView{Frame: me("Publish a draft", "asks", ""), Draft: goalAlone,
		Form:     failed(url.Values{"story": {"yes"}}, core.InvalidField("kind", "Choose whether you look for this or offer it."), "kind"),
		Audience: audience}
	m["stories"] = storiesView{Frame: me("Stories", "stories", ""), Tab: "stories", Error: "It has ended meanwhile.",
		Feed: []feedView{{ID: sampleID(112), Author: bea, Text: "Soup on Sunday", CreatedAt: sampleTime(0),
			Until: ending{sampleTime(9 * time.Hour), "in 9 hours"}}},
		Own: []ownStoryView{{ID: sampleID(113), Text: story.Text, State: "shown", Chosen: &chosenView{reach, true},
			Until: ending{sampleTime(9 * time.Hour), "in 9 hours"}, Matched: true},
			{ID: sampleID(114), Text: "خبز", State: "paused", Chosen: &chosenView{nobody, true},
				Until: ending{sampleTime(9 * time.Hour), "in 9 hours"}}},
		Ended: []ownStoryView{{ID: sampleID(115), Text: "Chairs", State: "expired", Until: ending{sampleTime(-time.Hour), "ended"}},
			{ID: sampleID(116), Text: "Beans", State: "withdrawn"}}}
	m["story_new"] = storyNewView{Frame: me("New Story", "stories", ""), Audience: audience,
		Form: failed(url.Values{"text": {"Beans"}, "match": {"offer"}, "until": {"1d"}},
			core.InvalidField("terms", "Write in one sentence what you look for or offer."), "terms")}
	m["story_reply"] = storyReplyView{Frame: me("Reply to a Story", "stories", ""),
		Story: feedView{ID: sampleID(112), Author: bea, Text: "Soup on Sunday"}, Form: newForm("message", "I come")}
	back := draft
	inbox := backView{"review", "i-2"}
	back.backView, pending.backView = inbox, inbox
	request := requestView{publicationView: everything, ID: "0f", Action: "publish_story", AgentName: "Kitchen assistant", KeyName: "Kitchen",
		KeyPrefix: "oc_3fG7kQpL", CreatedAt: sampleTime(0), Until: ending{sampleTime(10 * time.Minute), "in 10 minutes"}}
	request.backView = inbox
	reply := request
	reply.Action, reply.AgentName, reply.publicationView = "respond_to_story", "", publicationView{Reply: &replyPart{Message: "I come"}}
	m["review"] = reviewView{Frame: me("Review", "review", ""), Tab: "review", More: true, Error: "This request cannot be answered any more.",
		Items: []reviewItem{
			{ID: "r-1", Request: &request}, {ID: "r-2", Request: &reply}, {ID: "i-1", Match: &pending}, {ID: "i-2", Draft: &back},
			{ID: "i-3", Expiring: &expiringView{backView: inbox, Kind: "Story", Text: "Beans", Until: ending{sampleTime(time.Hour), "in 60 minutes"},
				StoryID: sampleID(113)}},
			{ID: "i-4", Expiring: &expiringView{backView: inbox, Text: "A tent", Until: ending{sampleTime(2 * time.Hour), "in 2 hours"},
				AskID: sampleID(106), Kind: "offer"}}}}
	m["review_count"] = countView{waitingView{3, 61}}
	m["audience"] = pickedView{&reach}
	m["settings_matching"] = matchingView{Frame: me("Matching", "settings", ""), Tab: "matching", Paused: true, Simple: true,
		ModeForm: newForm("mode", "simple")}
}
