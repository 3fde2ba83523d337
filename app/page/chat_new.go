package page

import (
	"slices"
	"strings"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

const maxChosen = 100

// chatNew keeps chosen people in the form as "id name", so that a search preserves them.
func (s *site) chatNew(v *visit) error {
	form := v.filled(Form{Values: v.r.URL.Query()})
	view := chatNewView{Form: form, Query: strings.TrimSpace(form.Get("q"))}
	var ids []string
	for _, to := range form.Values["to"] {
		if p, ok := chosen(to); ok && p.ID != v.by.UserID && len(ids) < maxChosen && !slices.Contains(ids, p.ID) {
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

func chosen(value string) (Person, bool) {
	id, name, _ := strings.Cut(value, " ")
	return Person{ID: id, Name: name}, store.ValidID(id)
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

func (s *site) chatCreate(v *visit) error {
	in := chat.CreateConversationIn{Title: v.form("title"), Open: v.form("open") == "yes"}
	for _, to := range v.r.PostForm["to"] {
		if p, ok := chosen(to); ok {
			in.ParticipantIDs = append(in.ParticipantIDs, p.ID)
		}
	}
	return s.submit(v, func() (string, error) {
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
	}, "participantIds", "title")
}
