package chat

import (
	"context"

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

func secretaryOf(r *store.Reader, by store.Viewer) (out SecretaryConfig, err error) {
	if out.Enabled, err = r.SecretaryEnabled(by); err != nil {
		return out, err
	}
	rows, err := r.SecretaryAnswers(by)
	out.Answers = make([]SecretaryAnswer, len(rows))
	for i, a := range rows {
		out.Answers[i] = answerOf(a)
	}
	return out, err
}

func (s *Service) getSecretary(ctx context.Context, by store.Viewer, _ core.None) (out SecretaryConfig, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		out, err = secretaryOf(r, by)
		return err
	})
	return out, err
}

// UpdateSecretaryIn is the input of UpdateSecretary.
type UpdateSecretaryIn struct {
	Enabled *bool `json:"enabled" required:"true" doc:"Whether questions that arrive from now on get automatic replies."`
}

func (s *Service) updateSecretary(ctx context.Context, by store.Viewer, in UpdateSecretaryIn) (out SecretaryConfig, err error) {
	if *in.Enabled {
		// Before the write, so that no later message is missed.
		if err := s.secretary.activate(ctx); err != nil {
			return out, err
		}
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.EnableSecretary(by.UserID, *in.Enabled); err != nil {
			return err
		}
		out, err = secretaryOf(&tx.Reader, by)
		return err
	})
	return out, err
}

// CreateAnswerIn is the input of CreateSecretaryAnswer.
type CreateAnswerIn struct {
	Question string `json:"question" required:"true" max:"200" line:"true" doc:"A question as others may ask it."`
	Answer   string `json:"answer" required:"true" max:"2000" doc:"What is sent in reply, word for word."`
}

func (s *Service) createSecretaryAnswer(ctx context.Context, by store.Viewer, in CreateAnswerIn) (out SecretaryAnswer, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		rows, err := tx.SecretaryAnswers(by)
		if err != nil {
			return err
		}
		if len(rows) >= maxAnswers {
			return core.New(core.Conflict, "too_many_answers",
				"You have %d answers, which is the maximum. Delete one you no longer need, then try again.", len(rows))
		}
		a, err := tx.InsertSecretaryAnswer(store.SecretaryAnswer{UserID: by.UserID, Question: in.Question, Answer: in.Answer})
		out = answerOf(a)
		return err
	})
	return out, err
}

// UpdateAnswerIn is the input of UpdateSecretaryAnswer. Omitted fields keep their value.
type UpdateAnswerIn struct {
	ID       string           `path:"id" json:"-"`
	Question core.Opt[string] `json:"question,omitzero" notnull:"true" min:"1" max:"200" line:"true"`
	Answer   core.Opt[string] `json:"answer,omitzero" notnull:"true" min:"1" max:"2000"`
}

func (s *Service) updateSecretaryAnswer(ctx context.Context, by store.Viewer, in UpdateAnswerIn) (out SecretaryAnswer, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		a, err := tx.SecretaryAnswer(by, in.ID)
		if err != nil {
			return err
		}
		was := a
		if in.Question.Set {
			a.Question = in.Question.V
		}
		if in.Answer.Set {
			a.Answer = in.Answer.V
		}
		if a != was {
			a, err = tx.UpdateSecretaryAnswer(a)
		}
		out = answerOf(a)
		return err
	})
	return out, core.Found(err)
}

// AnswerIn identifies one of the caller's answers.
type AnswerIn struct {
	ID string `path:"id" json:"-"`
}

func (s *Service) deleteSecretaryAnswer(ctx context.Context, by store.Viewer, in AnswerIn) (core.None, error) {
	return core.None{}, core.Found(s.db.Write(ctx, func(tx *store.Tx) error {
		return tx.DeleteSecretaryAnswer(by.UserID, in.ID)
	}))
}

// TryQuestionIn is the input of TryQuestion.
type TryQuestionIn struct {
	Question string `json:"question" required:"true" max:"2000" doc:"A message as somebody may send it."`
}

// TryQuestionOut is what the secretary would answer.
type TryQuestionOut struct {
	Answer *SecretaryAnswer `json:"answer" doc:"Null if it would not answer."`
}

func (s *Service) tryQuestion(ctx context.Context, by store.Viewer, in TryQuestionIn) (out TryQuestionOut, err error) {
	var rows []store.SecretaryAnswer
	err = s.db.Read(ctx, func(r *store.Reader) (err error) {
		rows, err = r.SecretaryAnswers(by)
		return err
	})
	if err != nil {
		return out, err
	}
	if i := pick(in.Question, prepare(rows)); i >= 0 {
		out.Answer = new(answerOf(rows[i]))
	}
	return out, nil
}
