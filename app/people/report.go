package people

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// ReportIn is the input of Report.
type ReportIn struct {
	TargetType string `json:"targetType" required:"true" enum:"message|user"`
	TargetID   string `json:"targetId" required:"true" format:"uuid" doc:"A message or a person that the caller can see. A report of the card of a match is about the other person."`
	Reason     string `json:"reason" required:"true" max:"100" line:"true" doc:"In a few words"`
	Freeform   string `json:"freeform" max:"2000" doc:"Anything else the administrators should know"`
}

// ReportOut has the id of a report.
type ReportOut struct {
	ID string `json:"id" format:"uuid"`
}

// report reports a message or a person to the administrators, with the text as it
// is now and the files of the message. Reporting the same again changes nothing until
// that is decided. It returns NotFound for what the caller cannot see, and Invalid for
// themselves and their own messages.
func (s *Service) report(ctx context.Context, by store.Viewer, in ReportIn) (out ReportOut, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		out = ReportOut{}
		row, err := reported(tx, by, in)
		if err == nil {
			out.ID, err = FileReport(tx, by, row)
		}
		return err
	})
	return out, core.Found(err)
}

// FileReport makes a report of what by can see; that of a bot is its owner's, so that
// what is kept of it counts for a person. It returns the report of the same that the
// person made before, if that is not decided, and TooMany after 30 within an hour.
func FileReport(tx *store.Tx, by store.Viewer, row store.UserReport) (id string, err error) {
	id, err = tx.OpenReport(by, row.TargetType, row.TargetID)
	if !errors.Is(err, store.ErrNoRow) {
		return id, err
	}
	if err := limit.Reports.CallStored(tx, by); err != nil {
		return "", err
	}
	row.ReporterID = by.PersonID()
	row, err = tx.InsertReport(row)
	return row.ID, err
}

// reported returns the report of what in names, with its text.
func reported(tx *store.Tx, by store.Viewer, in ReportIn) (store.UserReport, error) {
	row := store.UserReport{TargetType: in.TargetType, TargetID: in.TargetID, Reason: in.Reason, Freeform: in.Freeform}
	if in.TargetType == "message" {
		m, err := tx.Message(by, in.TargetID)
		if err == nil && m.Type == "card" {
			return reportedCard(tx, by, row, m)
		}
		row.UserID, row.ConversationID, row.Text, row.Attachments = m.SenderID, m.ConversationID, messageText(m), m.Attachments
		if err == nil && m.SenderID == by.UserID {
			err = core.InvalidField("targetId", "This is your own message. You can delete it.")
		}
		return row, err
	}
	if in.TargetID == by.UserID {
		return row, core.InvalidField("targetId", "This is your own account. Send the id of another person.")
	}
	ok, err := tx.MayReport(by, in.TargetID)
	if err == nil && !ok {
		err = core.ErrNotFound
	}
	if err == nil {
		row.UserID = in.TargetID
		row.Text, err = tx.ReportText(in.TargetID)
	}
	return row, err
}

// reportedCard makes row a report of the other person of a match, with the terms of
// theirs that the card has. The card is the server's, and shows what by wrote, too.
func reportedCard(tx *store.Tx, by store.Viewer, row store.UserReport, m store.Message) (store.UserReport, error) {
	var card struct {
		MatchID    string `json:"matchId"`
		AskTerms   string `json:"askTerms"`
		OfferTerms string `json:"offerTerms"`
	}
	if err := json.Unmarshal([]byte(m.CardPayload), &card); err != nil {
		return row, core.ErrNotFound // it is deleted
	}
	p, err := tx.Pair(by, card.MatchID)
	if errors.Is(err, store.ErrNoRow) {
		err = core.InvalidField("targetId", "The account of the other person is deleted, and so is what they wrote. There is nothing left to report.")
	}
	if err != nil {
		return row, err
	}
	terms := card.OfferTerms
	if first, _ := p.Sides(); first.Seq == p.Other.Seq {
		terms = card.AskTerms
	}
	row.TargetType, row.TargetID, row.UserID = "user", p.Other.UserID, p.Other.UserID
	row.Text, err = tx.ReportText(row.UserID)
	row.Text += "\nMatch: " + terms
	return row, err
}

// messageText returns what a report keeps of a message: its text, the names of its
// files and its transcript.
func messageText(m store.Message) string {
	lines := []string{m.Content}
	for _, name := range m.FileNames() {
		lines = append(lines, "File: "+name)
	}
	lines = append(lines, m.Transcript)
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}
