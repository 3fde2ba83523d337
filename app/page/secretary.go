package page

import (
	"fmt"
	"net/http"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
)

type answerView struct {
	chat.SecretaryAnswer
	Form Form
}

type secretaryView struct {
	Frame
	Tab     string
	Enabled bool
	Answers []answerView
	Form    Form
	Try     Form   // of a question to try
	Tried   string // the question that was tried
	Reply   string // the answer to Tried; "" for none
}

func secretary(s *site, v *visit) error {
	view := secretaryView{Form: newForm(), Try: newForm("try", v.query("try"))}
	if err := s.showSecretary(v, http.StatusOK, view, "", Form{}); err != nil {
		return err
	}
	if tried := strings.TrimSpace(v.query("try")); tried != "" {
		// The comparison follows the page's reads.
		v.then(func() error { return s.trySecretary(v, tried) })
	}
	return nil
}

func (s *site) trySecretary(v *visit, tried string) error {
	view := v.data.(secretaryView)
	got, err := s.Chat.TryQuestion.Call(v.ctx(), v.by, chat.TryQuestionIn{Question: tried})
	switch {
	case err != nil && !aboutInput(err):
		return err
	case err != nil:
		view.Try = failed(view.Try.Values, err)
		view.Try.Errors = map[string]string{"try": view.Try.Error}
		view.Try.Error = ""
	default:
		if view.Tried = tried; got.Answer != nil {
			view.Reply = got.Answer.Answer
		}
	}
	v.data = view
	return nil
}

// showSecretary shows the person's secretary. edit is the failed form of the answer with the id editing.
func (s *site) showSecretary(v *visit, code int, view secretaryView, editing string, edit Form) error {
	view.Frame = s.frame(v, "Secretary", "settings", "")
	view.Tab = "secretary"
	got := get(v, s.Chat.GetSecretary, core.None{})
	view.Enabled = got.Enabled
	for i, a := range got.Answers {
		row := answerView{a, storedAnswer(a)}
		if a.ID == editing {
			row.Form = edit
		}
		row.Form.Prefix = fmt.Sprintf("answer%d-", i)
		view.Answers = append(view.Answers, row)
	}
	return s.show(v, code, view)
}

func secretaryEnable(s *site, v *visit) error {
	enabled := v.form("enabled") == "yes"
	_, err := s.Chat.UpdateSecretary.Call(v.ctx(), v.by, chat.UpdateSecretaryIn{Enabled: &enabled})
	return v.next("/settings/secretary?done=saved", err)
}

func answerCreate(s *site, v *visit) error {
	create := func() (string, error) {
		in := chat.CreateAnswerIn{Question: v.form("question"), Answer: v.form("answer")}
		_, err := s.Chat.CreateSecretaryAnswer.Call(v.ctx(), v.by, in)
		return "/settings/secretary?done=added", err
	}
	return s.submit(v, []string{"question", "answer"}, create, func(f Form) error {
		return s.showSecretary(v, f.status(), secretaryView{Form: f, Try: newForm()}, "", Form{})
	})
}

func storedAnswer(a chat.SecretaryAnswer) Form {
	return newForm("question", a.Question, "answer", a.Answer)
}

func answerUpdate(s *site, v *visit) error {
	id := v.id("id")
	update := func() (string, error) {
		got, err := s.Chat.GetSecretary.Call(v.ctx(), v.by, core.None{})
		if err != nil {
			return "", err
		}
		var stored Form
		for _, a := range got.Answers {
			if a.ID == id {
				stored = storedAnswer(a)
			}
		}
		e, err := v.edits(stored)
		if err != nil {
			return "", err
		}
		_, err = s.Chat.UpdateSecretaryAnswer.Call(v.ctx(), v.by, chat.UpdateAnswerIn{ID: id, Question: e.text("question"),
			Answer: e.text("answer")})
		return "/settings/secretary?done=saved", err
	}
	return s.submit(v, []string{"question", "answer"}, update, func(f Form) error {
		return s.showSecretary(v, f.status(), secretaryView{Form: newForm(), Try: newForm()}, id, f)
	})
}

func answerDelete(s *site, v *visit) error {
	_, err := s.Chat.DeleteSecretaryAnswer.Call(v.ctx(), v.by, core.ByID{ID: v.id("id")})
	return v.next("/settings/secretary?done=deleted", err)
}
