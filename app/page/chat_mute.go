package page

import (
	"strconv"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// forever is until when a conversation is muted that is muted without an end.
func forever() store.Time {
	return store.TimeOf(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
}

// morning is the hour at which "until tomorrow" ends, where the reader is.
const morning = 8

// mutedUntil returns until when a conversation is muted, 0 if it is not.
func (s *site) mutedUntil(c chat.Conversation) store.Time {
	if until := core.OrZero(c.MutedUntil); until > store.TimeOf(s.Now()) {
		return until
	}
	return 0
}

func chatMute(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	until, done := core.Opt[store.Time]{Set: true, Null: true}, "unmuted"
	if t := muteEnd(s.Now(), v.form("for"), v.form("zone")); t != 0 {
		until, done = core.Some(t), "muted"
	}
	if _, err := s.Chat.MuteConversation.Call(v.ctx(), v.by, chat.MuteConversationIn{ConversationID: id, MutedUntil: until}); err != nil {
		return err
	}
	return v.seeOther("/chat/" + id + "/people?done=" + done)
}

// muteEnd returns when a choice of the form ends, 0 for unmuting. zone is how
// many minutes the reader's clock is behind UTC, which the script adds.
func muteEnd(now time.Time, choice, zone string) store.Time {
	switch choice {
	case "hour":
		return store.TimeOf(now.Add(time.Hour))
	case "tomorrow":
		behind, err := strconv.Atoi(zone)
		if err != nil || behind < -15*60 || behind > 15*60 {
			behind = 0
		}
		there := now.UTC().In(time.FixedZone("", -behind*60))
		return store.TimeOf(time.Date(there.Year(), there.Month(), there.Day()+1, morning, 0, 0, 0, there.Location()))
	case "forever":
		return forever()
	}
	return 0
}
