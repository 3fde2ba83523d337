package chat

import (
	"hearth/app/core"
	"hearth/store"
)

const maxAnswers = 50 // of one account

// SecretaryAnswer is an answer that its owner has approved for automatic replies.
type SecretaryAnswer struct {
	ID        string     `json:"id"`
	Question  string     `json:"question"`
	Answer    string     `json:"answer"`
	CreatedAt store.Time `json:"createdAt"`
	UpdatedAt store.Time `json:"updatedAt"`
}

// SecretaryConfig is the caller's secretary.
type SecretaryConfig struct {
	Enabled bool              `json:"enabled" doc:"Whether questions in direct conversations get automatic replies."`
	Answers []SecretaryAnswer `json:"answers" doc:"The oldest first."`
}

func answerOf(a store.SecretaryAnswer) SecretaryAnswer {
	return SecretaryAnswer{ID: a.ID, Question: a.Question, Answer: a.Answer, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}
}

func (s *Service) getSecretary(r *store.Reader, by store.Viewer, _ core.None) (out SecretaryConfig, err error) {
	if out.Enabled, err = r.SecretaryEnabled(by); err != nil {
		return out, err
	}
	rows, err := r.SecretaryAnswers(by)
	out.Answers = core.Map(rows, answerOf)
	return out, err
}

// UpdateSecretaryIn is the input of UpdateSecretary.
type UpdateSecretaryIn struct {
	Enabled *bool `json:"enabled" required:"true" doc:"Whether questions that arrive from now on get automatic replies."`
}

func (s *Service) updateSecretary(tx *store.Tx, by store.Viewer, in UpdateSecretaryIn) (out SecretaryConfig, err error) {
	if *in.Enabled && s.Secretary != nil {
		s.Secretary.enabled.Store(true) // even before, so that no later message is missed
	}
	if err := tx.EnableSecretary(by.UserID, *in.Enabled); err != nil {
		return out, err
	}
	return s.getSecretary(&tx.Reader, by, core.None{})
}

// CreateAnswerIn is the input of CreateSecretaryAnswer.
type CreateAnswerIn struct {
	Question string `json:"question" required:"true" max:"200" line:"true" doc:"A question as others may ask it."`
	Answer   string `json:"answer" required:"true" max:"2000" doc:"What is sent in reply, word for word."`
}

func (s *Service) createSecretaryAnswer(tx *store.Tx, by store.Viewer, in CreateAnswerIn) (out SecretaryAnswer, err error) {
	rows, err := tx.SecretaryAnswers(by)
	if err == nil && len(rows) >= maxAnswers {
		err = core.New(core.Conflict, "too_many_answers",
			"You have %d answers, which is the maximum. Delete one you no longer need, then try again.", len(rows))
	}
	if err != nil {
		return out, err
	}
	a, err := tx.InsertSecretaryAnswer(store.SecretaryAnswer{UserID: by.UserID, Question: in.Question, Answer: in.Answer})
	return answerOf(a), err
}

// UpdateAnswerIn is the input of UpdateSecretaryAnswer. Omitted fields keep their value.
type UpdateAnswerIn struct {
	ID       string           `path:"id" json:"-"`
	Question core.Opt[string] `json:"question,omitzero" notnull:"true" min:"1" max:"200" line:"true"`
	Answer   core.Opt[string] `json:"answer,omitzero" notnull:"true" min:"1" max:"2000"`
}

func (s *Service) updateSecretaryAnswer(tx *store.Tx, by store.Viewer, in UpdateAnswerIn) (out SecretaryAnswer, err error) {
	a, err := tx.SecretaryAnswer(by, in.ID)
	if err != nil {
		return out, err
	}
	was := a
	in.Question.Into(&a.Question)
	in.Answer.Into(&a.Answer)
	if a != was {
		a, err = tx.UpdateSecretaryAnswer(a)
	}
	return answerOf(a), err
}

func (s *Service) deleteSecretaryAnswer(tx *store.Tx, by store.Viewer, in core.ByID) (core.None, error) {
	return core.None{}, tx.DeleteSecretaryAnswer(by.UserID, in.ID)
}

// TryQuestionIn is the input of TryQuestion.
type TryQuestionIn struct {
	Question string `json:"question" required:"true" max:"2000" doc:"A message as somebody may send it."`
}

// TryQuestionOut is what the secretary would answer.
type TryQuestionOut struct {
	Answer *SecretaryAnswer `json:"answer" doc:"Null if it would not answer."`
}

func (s *Service) tryQuestion(r *store.Reader, by store.Viewer, in TryQuestionIn) (out TryQuestionOut, err error) {
	rows, err := r.SecretaryAnswers(by)
	if i := pick(in.Question, rows); i >= 0 {
		out.Answer = new(answerOf(rows[i]))
	}
	return out, err
}
