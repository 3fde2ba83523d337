package chat_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// saved returns up to which event the log counts as read after a restart.
func (d *desk) saved() (position string) {
	d.Helper()
	d.ok(d.db.Read(d.ctx, func(r *store.Reader) (err error) {
		position, err = r.Setting("secretary_position")
		return err
	}))
	return position
}

// A position that could not be stored is stored the next time.
func TestSecretarySavesAfterAFailure(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	c := d.direct(d.Ben, d.Ada)
	d.send(d.Ben, c.ID, "see you tomorrow at the mill")
	_, newest := d.events(0)
	d.want(c.ID)
	before := d.saved()
	ctx, cancel := context.WithCancel(d.ctx)
	cancel()
	if err := d.secretary.Save(ctx); !errors.Is(err, context.Canceled) || d.saved() != before {
		t.Errorf("stored %q instead of %q, %v", d.saved(), before, err)
	}
	d.ok(d.secretary.Save(d.ctx))
	if got := d.saved(); got != strconv.FormatInt(newest, 10) {
		t.Errorf("stored %q, want %d", got, newest)
	}
}

// What the event log no longer has is skipped at once, however much it is: as after a
// long time in which nobody had a secretary.
func TestSecretarySkipsWhatTheLogNoLongerHas(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	c := d.direct(d.Ben, d.Ada)
	d.want(c.ID)
	d.stop()
	d.send(d.Ben, c.ID, wifi)
	d.position("-1000000000000")
	d.start()
	ctx, cancel := context.WithTimeout(d.ctx, 5*time.Second)
	defer cancel()
	d.ok(d.secretary.Wait(ctx))
	d.want(c.ID, wifiSays)
}

// A question and its answer can be changed, and neither can be removed.
func TestSecretaryAnswersHaveTexts(t *testing.T) {
	d := newDesk(t)
	made, err := d.s.CreateSecretaryAnswer.Call(d.ctx, as(d.Ada), chat.CreateAnswerIn{Question: wifi, Answer: wifiSays})
	d.ok(err)
	null := core.Opt[string]{Set: true, Null: true}
	for name, in := range map[string]chat.UpdateAnswerIn{
		"no question":          {Question: null},
		"no answer":            {Answer: null},
		"neither":              {Question: null, Answer: null},
		"a question alone":     {Question: core.Some("Where can I park?"), Answer: null},
		"an answer alone":      {Question: null, Answer: core.Some("Behind the mill.")},
		"an empty question":    {Question: core.Some("")},
		"an empty answer":      {Answer: core.Some("")},
		"a question of spaces": {Question: core.Some(" \n")},
	} {
		in.ID = made.ID
		_, err := d.s.UpdateSecretaryAnswer.Call(d.ctx, as(d.Ada), in)
		if core.As(err).Kind != core.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, in := range []chat.UpdateAnswerIn{{Question: core.Some("Where can I park?")}, {Answer: core.Some("Behind the mill.")}} {
		in.ID = made.ID
		_, err := d.s.UpdateSecretaryAnswer.Call(d.ctx, as(d.Ada), in)
		d.ok(err)
	}
	all, err := d.s.GetSecretary.Call(d.ctx, as(d.Ada), core.None{})
	if d.ok(err); len(all.Answers) != 1 || all.Answers[0].Question != "Where can I park?" || all.Answers[0].Answer != "Behind the mill." {
		t.Errorf("got %+v", all)
	}
}
