package page

import (
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/people"
)

func reasons() []Choice {
	return []Choice{
		{"spam", "Spam"}, {"harassment", "Harassment"}, {"hate", "Hate"}, {"violence", "Violence"}, {"sexual", "Sexual content"},
		{"impersonation", "Impersonation"}, {"self_harm", "Self-harm"}, {"illegal", "Illegal content"}, {"other", "Something else"},
	}
}

func reasonText(reason string) string {
	for _, r := range reasons() {
		if r.Value == reason {
			return r.Label
		}
	}
	return reason
}

type reportFormView struct {
	Frame
	Form     Form
	Reason   Field
	Type, ID string
	In       string // conversation of a message
	Person   Person
	Content  string
	Back     string
}

func (s *site) reportShow(v *visit) (err error) {
	typ, id := firstOf(v.form("type"), "message"), firstOf(v.form("id"), v.query("message"))
	if id == "" {
		typ, id = "user", v.query("user")
	}
	view := reportFormView{Type: typ, ID: id, Form: v.filled(newForm("reason", "spam")), In: v.query("in") + v.form("in")}
	if typ == "message" {
		found := get(v, s.Chat.MessagesByID, chat.MessagesByIDIn{ConversationID: view.In, IDs: []string{id}})
		if len(found) == 0 {
			return core.ErrNotFound
		}
		m := found[0]
		view.Person, view.Content = Person{ID: m.Sender.ID, Name: m.Sender.Name, Picture: pictureOf(m.Sender.AvatarURL)}, m.Content
		view.Back = "/chat/" + m.ConversationID + "#m-" + m.ID
	} else {
		p := get(v, s.People.GetPerson, people.UserIn{UserID: id})
		view.Person, view.Back = personOf(p.User), "/people/"+id
	}
	if view.Reason, err = newField(view.Form, "reason", "Reason"); err != nil {
		return err
	}
	view.Reason.Options = reasons()
	return s.page(v, "Report", "people", "narrow", &view)
}

func (s *site) reportSend(v *visit) error {
	return s.submit(v, func() (string, error) {
		_, err := send(v, s.People.Report, func(in *people.ReportIn) { in.TargetType, in.TargetID = v.form("type"), v.form("id") })
		if err == nil && v.form("block") == "yes" {
			_, err = s.People.BlockUser.Call(v.ctx(), v.by, people.UserIn{UserID: v.form("person")})
			return "/settings/blocks?done=reported", err
		}
		return "/people?done=reported", err
	}, "reason", "freeform")
}
