package page

import (
	"fmt"
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
	Enabled bool
	Answers []answerView
	Form    Form
	Try     Form   // of a question to try
	Tried   string // the question that was tried
	Reply   string // the answer to Tried; "" for none
}

func (s *site) secretary(v *visit) error {
	got := get(v, s.Chat.GetSecretary, core.None{})
	view := &secretaryView{Enabled: got.Enabled, Form: v.filledAt("/answers", newForm()), Try: newForm("try", v.query("try"))}
	for i, a := range got.Answers {
		row := answerView{a, storedAnswer(a)}
		if a.ID == v.id("id") {
			row.Form = v.filled(row.Form)
		}
		row.Form.Prefix = fmt.Sprintf("answer%d-", i)
		view.Answers = append(view.Answers, row)
	}
	if tried := strings.TrimSpace(v.query("try")); tried != "" {
		// The comparison follows the page's reads.
		v.then(func() error { return s.trySecretary(v, view, tried) })
	}
	return s.page(v, "Secretary", "settings/secretary", "", view)
}

func (s *site) trySecretary(v *visit, view *secretaryView, tried string) error {
	got, err := s.Chat.TryQuestion.Call(v.ctx(), v.by, chat.TryQuestionIn{Question: tried})
	switch {
	case err != nil && !aboutInput(err):
		return err
	case err != nil:
		view.Try.Errors = map[string]string{"try": failed(view.Try.Values, err).Error}
	default:
		if view.Tried = tried; got.Answer != nil {
			view.Reply = got.Answer.Answer
		}
	}
	return nil
}

func storedAnswer(a chat.SecretaryAnswer) Form {
	return newForm("question", a.Question, "answer", a.Answer)
}

func (s *site) answer(v *visit) (chat.SecretaryAnswer, error) {
	got, err := s.Chat.GetSecretary.Call(v.ctx(), v.by, core.None{})
	return pick(got.Answers, err, func(a chat.SecretaryAnswer) bool { return a.ID == v.id("id") })
}
