package page

import (
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"hearth/app/admin"
	"hearth/app/core"
	"hearth/store"
)

type feedbackView struct {
	Frame
	Form Form
	From string // the page before the form
}

func feedback(s *site, v *visit) error { return s.showFeedback(v, Form{}, v.referrer()) }

func (s *site) showFeedback(v *visit, form Form, from string) error {
	f := s.frame(v, "Send feedback", "feedback", "narrow")
	return s.show(v, form.status(), feedbackView{f, form, from})
}

// referrer returns the path of the previous page if it is of this site, otherwise "".
func (v *visit) referrer() string {
	u, err := url.Parse(v.r.Referer())
	if err != nil || u.Host != v.r.Host || u.Path == "/feedback" || len(u.Path) > 200 {
		return ""
	}
	return u.Path
}

func feedbackSend(s *site, v *visit) error {
	in := admin.SendFeedbackIn{Message: v.form("message")}
	from := oneLine(v.form("page"), 200)
	if from != "" {
		in.Context, _ = json.Marshal(map[string]string{"page": from})
	}
	send := func() (string, error) {
		_, err := s.Admin.SendFeedback.Call(v.ctx(), v.by, in)
		return "/feedback?done=feedback", err
	}
	return s.submit(v, []string{"message"}, send, func(f Form) error { return s.showFeedback(v, f, from) })
}

type noteView struct {
	ID        string
	From      *Person // nil for a deleted account
	Message   string
	Context   []entry
	CreatedAt store.Time
	DoneAt    store.Time
}

func viewOfNote(f admin.Feedback) noteView {
	return noteView{ID: f.ID, From: personOfRef(f.From), Message: f.Message, Context: entries(string(f.Context)), CreatedAt: f.CreatedAt,
		DoneAt: core.OrZero(f.DoneAt)}
}

type adminFeedbackView struct {
	adminFrame
	State string
	Notes []noteView
	Next  string
}

func adminFeedback(s *site, v *visit) error {
	f := s.adminFrame(v, "Feedback", "feedback")
	in := admin.ListFeedbackIn{State: "new", PageIn: v.pageOf()}
	if v.query("state") == "done" {
		in.State = "done"
	}
	page := get(v, s.Admin.ListFeedback, in)
	return s.show(v, http.StatusOK, adminFeedbackView{f, in.State, core.Map(page.Items, viewOfNote), nextOf("/admin/feedback", page.Next)})
}

func adminFeedbackDone(s *site, v *visit) error {
	_, err := s.Admin.FinishFeedback.Call(v.ctx(), v.by, admin.FeedbackIn{ID: v.id("id")})
	return v.next("/admin/feedback?done=finished", err)
}
