package page

import (
	"net/url"

	"github.com/go-json-experiment/json"

	"hearth/app/admin"
	"hearth/app/core"
)

type feedbackView struct {
	Frame
	Form Form
	From string // the page before the form
}

func (s *site) feedback(v *visit) error {
	from := v.referrer()
	if v.again != nil {
		from = oneLine(v.form("page"), 200)
	}
	return s.page(v, "Send feedback", "feedback", "narrow", &feedbackView{Form: v.filled(Form{}), From: from})
}

// referrer returns the path of the previous page if it is of this site, otherwise "".
func (v *visit) referrer() string {
	u, err := url.Parse(v.r.Referer())
	if err != nil || u.Host != v.r.Host || u.Path == "/feedback" || len(u.Path) > 200 {
		return ""
	}
	return u.Path
}

func (s *site) feedbackSend(v *visit) error {
	return s.submit(v, func() (string, error) {
		_, err := send(v, s.Admin.SendFeedback, func(in *admin.SendFeedbackIn) {
			if from := oneLine(v.form("page"), 200); from != "" {
				in.Context, _ = json.Marshal(map[string]string{"page": from})
			}
		})
		return "/feedback?done=feedback", err
	}, "message")
}

type noteView struct {
	admin.Feedback
	Context []entry
}

type adminFeedbackView struct {
	adminFrame
	State string
	Notes []noteView
	Next  string
}

func (s *site) adminFeedback(v *visit) error {
	page := read(v, s.Admin.ListFeedback)
	view := adminFeedbackView{State: firstOf(v.query("state"), "new"), Next: nextOf("/admin/feedback", page.Next)}
	view.Notes = core.Map(page.Items, func(f admin.Feedback) noteView { return noteView{f, entries(string(f.Context))} })
	return s.adminPage(v, "Feedback", "feedback", &view)
}
