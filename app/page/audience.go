package page

import (
	"net/url"
	"slices"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/social"
)

type groupChoice struct {
	ID, Title, Line string
	Checked         bool
}

type audienceView struct {
	Query  string
	People []choiceView
	Groups []groupChoice
	Error  string
	Note   string // about the choices of an earlier form
	FindTo string
	Reach  *reachView // nil if nothing is ticked
}

func audienceOf(form url.Values) social.Audience {
	a := social.Audience{UserIDs: []string{}, ConversationIDs: append([]string{}, form["in"]...)}
	for _, to := range form["to"] {
		if p, ok := chosen(to); ok {
			a.UserIDs = append(a.UserIDs, p.ID)
		}
	}
	return a
}

func needAudience(a social.Audience) error {
	if len(a.UserIDs)+len(a.ConversationIDs) == 0 {
		return core.InvalidField("audience", "Tick at least one person or group.")
	}
	return nil
}

// audience returns the choices of a form: ticked people, friends, people of direct conversations, search
// results and groups.
func (s *site) audience(v *visit, form Form, findTo string) (view audienceView) {
	view = audienceView{Query: strings.TrimSpace(form.Get("q")), Error: form.At("audience"), FindTo: findTo}
	add := func(people []Person, checked bool) {
		for _, p := range people {
			known := slices.ContainsFunc(view.People, func(c choiceView) bool { return c.ID == p.ID })
			if !known && p.ID != v.by.UserID && !p.IsBot {
				view.People = append(view.People, choiceView{p, checked})
			}
		}
	}
	for _, to := range form.Values["to"] {
		if p, ok := chosen(to); ok {
			add([]Person{p}, true)
		}
	}
	add(s.findPeople(v, view.Query, nil), false)
	friends := get(v, s.People.ListFriends, core.None{})
	for _, f := range friends.Friends {
		add([]Person{personOf(f.User)}, false)
	}
	all := get(v, s.Chat.ListConversations, chat.ListConversationsIn{Limit: 200})
	for _, c := range all.Items {
		title, _ := nameOf(c, v.by.UserID)
		if c.Type == "group" {
			line := strings.Join(namesOf(others(c, v.by.UserID)), ", ")
			if more := c.ParticipantCount - len(c.Participants); more > 0 {
				line += " and more"
			}
			view.Groups = append(view.Groups, groupChoice{ID: c.ID, Title: title, Line: line, Checked: form.Has("in", c.ID)})
		} else {
			add(others(c, v.by.UserID), false)
		}
	}
	view.Reach = s.ticked(v, form.Values)
	return view
}

// ticked returns the reach of the ticked choices, with a few names. It is nil if nothing is ticked.
func (s *site) ticked(v *visit, form url.Values) *reachView {
	a := audienceOf(form)
	if len(a.UserIDs)+len(a.ConversationIDs) == 0 {
		return nil
	}
	r := s.reachKnown(v, a)
	r.People = r.People[:min(len(r.People), 12)]
	return &r
}

func (s *site) audienceReach(v *visit) error {
	return s.show(v, pickedView{s.ticked(v, v.r.PostForm)})
}

type pickedView struct{ Reach *reachView }

type reachView struct {
	Total  int
	People []Person
	Groups int // later members of them are included
}

func (s *site) reach(v *visit, a social.Audience) reachView {
	return reachOf(get(v, s.Social.GetReach, a))
}

func reachOf(r social.ReachOut) reachView {
	return reachView{r.Total, core.Map(r.People, func(p social.Person) Person {
		return Person{ID: p.ID, Name: p.Name, Picture: pictureOf(core.OrZero(p.AvatarURL)), IsBot: p.IsBot}
	}), r.Groups}
}

type chosenView struct {
	Reach reachView
	Lost  bool // some can no longer be named, and are not counted
}

func (s *site) chosenFor(v *visit, id string) *chosenView {
	return chosenOf(get(v, s.Social.GetAudience, core.ByID{ID: id}), 6)
}

func (s *site) storyChosen(v *visit, id string) *chosenView {
	out := get(v, s.Social.GetStoryAudience, core.ByID{ID: id})
	return chosenOf(out, len(out.Reach.People))
}

func chosenOf(out social.AudienceOut, limit int) *chosenView {
	c := &chosenView{reachOf(out.Reach), out.Unreachable > 0}
	c.Reach.People = c.Reach.People[:min(len(c.Reach.People), limit)]
	return c
}

// tickAgain ticks the audience of an earlier intent, and returns a remark about it.
func (s *site) tickAgain(v *visit, form Form, id string) (note string) {
	out := get(v, s.Social.GetAudience, core.ByID{ID: id})
	for _, p := range out.People {
		form.Values.Add("to", p.ID+" "+p.Name)
	}
	for _, id := range out.Audience.ConversationIDs {
		form.Values.Add("in", id)
	}
	switch {
	case len(out.People)+len(out.Audience.ConversationIDs) == 0:
		note = "The people and groups you chose before can no longer be chosen. Choose again."
	case out.Unreachable > 0:
		note = "Some people or groups you chose before can no longer be chosen. The others are ticked."
	}
	return note
}

// More returns the number of people who are reached but not named.
func (r reachView) More() int { return r.Total - len(r.People) }
