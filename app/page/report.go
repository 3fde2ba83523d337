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

func reportShow(s *site, v *visit) error {
	typ, id := "message", v.query("message")
	if id == "" {
		typ, id = "user", v.query("user")
	}
	return s.showReportForm(v, typ, id, newForm("reason", "spam"))
}

func (s *site) showReportForm(v *visit, typ, id string, form Form) (err error) {
	view := reportFormView{Type: typ, ID: id, Form: form, In: v.query("in") + v.form("in")}
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
	if view.Reason, err = newField(form, "reason", "Reason"); err != nil {
		return err
	}
	view.Reason.Options = reasons()
	view.Frame = s.frame(v, "Report", "people", "narrow")
	return s.show(v, form.status(), view)
}

func reportSend(s *site, v *visit) error {
	typ, id := v.form("type"), v.form("id")
	send := func() (string, error) {
		_, err := s.People.Report.Call(v.ctx(), v.by, people.ReportIn{TargetType: typ, TargetID: id, Reason: v.form("reason"),
			Freeform: v.form("freeform")})
		if err == nil && v.form("block") == "yes" {
			_, err = s.People.BlockUser.Call(v.ctx(), v.by, people.UserIn{UserID: v.form("person")})
			return "/settings/blocks?done=reported", err
		}
		return "/people?done=reported", err
	}
	return s.submit(v, []string{"reason", "freeform"}, send, func(f Form) error { return s.showReportForm(v, typ, id, f) })
}
