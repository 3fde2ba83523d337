package page

import (
	"strconv"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// forever is the stored end of a mute without end.
func forever() store.Time {
	return store.TimeOf(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
}

// morning is the hour of the reader's day at which "until tomorrow" ends.
const morning = 8

// mutedUntil returns 0 if the conversation is not muted.
func (s *site) mutedUntil(c chat.Conversation) store.Time {
	if until := core.OrZero(c.MutedUntil); until > store.TimeOf(s.Now()) {
		return until
	}
	return 0
}

func (s *site) chatMute(v *visit) error {
	until, done := core.Opt[store.Time]{Set: true, Null: true}, "unmuted"
	if t := muteEnd(s.Now(), v.form("for"), v.form("zone")); t != 0 {
		until, done = core.Some(t), "muted"
	}
	_, err := send(v, s.Chat.MuteConversation, func(in *chat.MuteConversationIn) { in.MutedUntil = until })
	return v.next(v.address("/chat/{id}/people?done="+done), err)
}

// muteEnd returns the end of a mute, or 0 to unmute. zone is the reader's offset behind UTC in minutes.
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
