package demo

import (
	"cmp"
	"time"

	"hearth/store"
)

// administration adds the steps of what the administrators did, and what people
// wrote to them.
func (s *seeder) administration() {
	s.audit(40*day, "user.promote", "tomas", func(u *store.User, _ store.Time) { u.IsAdmin = true })
	s.audit(12*day, "user.suspend", "jack", func(u *store.User, now store.Time) { u.SuspendedAt = now })
	s.audit(11*day, "user.restore", "jack", func(u *store.User, _ store.Time) { u.SuspendedAt = 0 })
	s.community()
	done := s.feedback(26*day, "noam", "Could the list of bakeries be sorted by street? I always cycle along the river.", `{"page":"/"}`)
	s.at(s.now.Add(-25*day), func(tx *store.Tx) error {
		return cmp.Or(tx.FinishFeedback(*done), tx.Audit(s.viewer("mira"), "feedback.done", *done, ""))
	})
	s.report(12*day+4*time.Hour, "zofia", "jack", "Spam", "The same auction in four groups.", "resolved")
	s.report(30*time.Hour, "priya", "sion", "Not nice", "Pins the radio schedule over everything else.", "")
	s.feedback(5*day, "seun", "The unread badge is lovely. Please keep it as small as it is.", "")
	s.feedback(2*day, "layla", "On my phone the keyboard covers the last message when I reply.", `{"page":"/chat"}`)
}

// community adds the steps that name the community and open groups to all of it.
func (s *seeder) community() {
	s.at(s.now.Add(-age+time.Hour), func(tx *store.Tx) error {
		return cmp.Or(tx.SetSetting(store.SettingCommunityName, "Mill Lane"), tx.SetSetting(store.SettingMemberInvites, "yes"),
			tx.SetSetting(store.SettingWelcome, "Neighbours, bread and bicycles. Say who you are and what you like to do."))
	})
	s.at(s.now.Add(-time.Minute), func(tx *store.Tx) error {
		return cmp.Or(tx.SetOpen(s.groups["Bike kitchen"], true), tx.SetOpen(s.groups["Night sky, Lantern Hill"], true))
	})
}

// viewer returns a person as a caller.
func (s *seeder) viewer(handle string) store.Viewer {
	return store.Viewer{Kind: store.Human, UserID: s.users[handle].ID}
}

// audit adds the step of an act of the first administrator on an account.
func (s *seeder) audit(ago time.Duration, action, handle string, change func(*store.User, store.Time)) {
	s.at(s.now.Add(-ago), func(tx *store.Tx) error {
		u, err := tx.User(s.users[handle].ID)
		if err != nil {
			return err
		}
		change(&u, tx.Now)
		if s.users[handle], err = tx.UpdateUser(u); err != nil {
			return err
		}
		return tx.Audit(s.viewer("mira"), action, u.ID, "")
	})
}

// report adds the steps that report an account and, with a decision, decide that.
func (s *seeder) report(ago time.Duration, who, of, reason, freeform, decision string) {
	var id string
	s.at(s.now.Add(-ago), func(tx *store.Tx) error {
		text, err := tx.ReportText(s.users[of].ID)
		if err != nil {
			return err
		}
		id = s.id()
		_, err = tx.InsertReport(store.UserReport{
			ID: id, ReporterID: s.users[who].ID, TargetType: "user", TargetID: s.users[of].ID, UserID: s.users[of].ID, Reason: reason, Freeform: freeform, Text: text,
		})
		return err
	})
	if decision == "" {
		return
	}
	s.at(s.now.Add(-ago+4*time.Hour), func(tx *store.Tx) error {
		return cmp.Or(tx.DecideReport(s.viewer("mira"), id, decision, "Suspended for a day."), tx.Audit(s.viewer("mira"), "report.decide", id, decision+", suspend"))
	})
}

// feedback adds the step that sends feedback, and returns where its id will be.
func (s *seeder) feedback(ago time.Duration, handle, message, context string) (id *string) {
	id = new(string)
	s.at(s.now.Add(-ago), func(tx *store.Tx) error {
		*id = s.id()
		_, err := tx.InsertFeedback(store.Feedback{ID: *id, From: store.Named{ID: s.users[handle].ID}, Message: message, Context: context})
		return err
	})
	return id
}
