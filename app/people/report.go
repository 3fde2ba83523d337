package people

import (
	"cmp"
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
	TargetID   string `json:"targetId" required:"true" format:"uuid" doc:"A message or a person. A match's card reports the other person."`
	Reason     string `json:"reason" required:"true" max:"100" line:"true" doc:"In a few words"`
	Freeform   string `json:"freeform" max:"2000" doc:"Anything else the administrators should know"`
}

// ReportOut has the id of a report.
type ReportOut struct {
	ID string `json:"id" format:"uuid"`
}

// report reports a message or a person with its current text and files. A repeated report changes nothing
// until the decision. It returns NotFound for a hidden target, and Invalid for the caller's own.
func report(tx *store.Tx, by store.Viewer, in ReportIn) (out ReportOut, err error) {
	row, err := reported(tx, by, in)
	if err == nil {
		out.ID, err = FileReport(tx, by, row)
	}
	return out, err
}

func listSelfReaders(r *store.Reader, _ store.Viewer, _ core.None) ([]string, error) {
	return r.SelfReaders()
}

// FileReport stores a report. A bot's report is its owner's, so that its stored text counts for a person. It
// returns an open report of the same target, or TooMany after 30 within an hour.
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
	return row.ID, cmp.Or(err, core.AdminInboxChanged(tx))
}

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

// reportedCard reports the other person of a match with their terms. The card itself is the server's, and
// includes the terms of by.
func reportedCard(tx *store.Tx, by store.Viewer, row store.UserReport, m store.Message) (store.UserReport, error) {
	var card struct {
		MatchID    string `json:"matchId"`
		AskTerms   string `json:"askTerms"`
		OfferTerms string `json:"offerTerms"`
	}
	if err := json.Unmarshal([]byte(m.CardPayload), &card); err != nil {
		return row, core.ErrNotFound // deleted
	}
	p, err := tx.Pair(by, card.MatchID)
	if errors.Is(err, store.ErrNoRow) {
		err = core.InvalidField("targetId",
			"The account of the other person is deleted, and so is what they wrote. There is nothing left to report.")
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

// messageText returns the stored text of a message: content, file names and transcript.
func messageText(m store.Message) string {
	lines := []string{m.Content}
	for _, name := range m.FileNames() {
		lines = append(lines, "File: "+name)
	}
	lines = append(lines, m.Transcript)
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}
