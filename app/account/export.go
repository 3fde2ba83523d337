package account

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// ExportIn is the input of Export.
type ExportIn struct {
	Range string `query:"range" json:"-" default:"last_day" enum:"last_hour|last_day|last_week|last_month|all_time" doc:"From when on messages and thoughts are exported; everything else is exported whole. A month has 30 days."`
}

// ExportRange is the range of an export.
type ExportRange struct {
	Key   string      `json:"key" enum:"last_hour|last_day|last_week|last_month|all_time"`
	Label string      `json:"label"`
	Since *store.Time `json:"since" doc:"Null for all time"`
}

func exportRange(key string, now store.Time) ExportRange {
	r := ExportRange{Key: key, Label: "All time"}
	ago := func(label string, d time.Duration) {
		since := now.Add(-d)
		r.Label, r.Since = label, &since
	}
	const day = 24 * time.Hour
	switch key {
	case "last_hour":
		ago("Last hour", time.Hour)
	case "last_day":
		ago("Last day", day)
	case "last_week":
		ago("Last week", 7*day)
	case "last_month":
		ago("Last month", 30*day)
	}
	return r
}

const maxExports = 2

var errExporting = core.New(core.TooMany, "export_running", "Other exports are running. Try again in a minute.")

type exportMember struct {
	name  string
	empty string
	write core.ExportFunc
}

func (s *Service) exportMembers() []exportMember {
	return []exportMember{
		{"conversations", `[]`, nil},
		{"messageCount", `0`, nil},
		{"messages", `[]`, nil},
		{"thoughts", `[]`, nil},
		{"blockedUsers", `[]`, nil},
		{"friendConnections", `[]`, nil},
		{"agentKeys", `[]`, s.exportKeys},
		{"secretary", `{"enabled":false,"answers":[]}`, nil},
		{"intentDrafts", `[]`, nil},
		{"stories", `[]`, nil},
		{"intents", `[]`, nil},
		{"socialPreferences", `{"experienceMode":"enhanced","networkPaused":false,"updatedAt":null}`, nil},
		{"agentMatches", `[]`, nil},
		{"contextPosts", `[]`, nil},
		{"contextIntentions", `[]`, nil},
		{"communityInvitations", `[]`, s.exportInvitations},
	}
}

// Export writes the caller's account as JSON to the writer that begin returns. It calls begin with a file name once
// the input is valid. It returns TooMany while maxExports run. It fails at the next page once the caller's session
// has ended; the JSON is then incomplete.
func (s *Service) Export(ctx context.Context, by store.Viewer, in ExportIn, begin func(name string) io.Writer) error {
	if err := core.Check(&in); err != nil {
		return err
	}
	select {
	case s.exporting <- struct{}{}:
		defer func() { <-s.exporting }()
	default:
		return errExporting
	}
	me, err := s.getMe(ctx, by, core.None{})
	if err != nil {
		return err
	}
	// Message times come from the write clock, which may be ahead. Without the later of both times, a message could
	// be missing from the count and present in the pages.
	var last, now store.Time
	err = s.db.Read(ctx, func(r *store.Reader) (err error) {
		last, err = r.LastWrite()
		now = max(last, r.Now())
		return err
	})
	if err != nil {
		return err
	}
	r := exportRange(in.Range, now)
	w := begin("hearth-" + in.Range + "-" + now.Go().Format("2006-01-02") + ".json")
	var page bytes.Buffer
	e := &core.Export{By: by, Since: core.OrZero(r.Since), Until: last, JSON: jsontext.NewEncoder(&page)}
	send := func() error {
		_, err := page.WriteTo(w)
		return err
	}
	e.Turn = func(ctx context.Context, f func() error) error {
		if err := s.db.Read(ctx, func(r *store.Reader) error { return checkSession(r, by) }); err != nil {
			return err
		}
		if err := f(); err != nil {
			return err
		}
		return send()
	}
	if err := s.writeExport(ctx, e, now, r, me); err != nil {
		return err
	}
	return send()
}

func (s *Service) writeExport(ctx context.Context, e *core.Export, at store.Time, r ExportRange, me Me) error {
	if err := e.JSON.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range []struct {
		name  string
		value any
	}{{"schema", "chat.account_export.v1"}, {"exportedAt", at}, {"range", r}, {"user", me}} {
		if err := e.Member(m.name, m.value); err != nil {
			return err
		}
	}
	var others map[string]core.ExportFunc
	if s.exports != nil {
		others = s.exports()
	}
	for _, m := range s.exportMembers() {
		if f := others[m.name]; f != nil {
			m.write = f
		}
		if m.write == nil {
			m.write = func(_ context.Context, e *core.Export) error { return e.Value(jsontext.Value(m.empty)) }
		}
		if err := e.JSON.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := m.write(ctx, e); err != nil {
			return err
		}
	}
	return e.JSON.WriteToken(jsontext.EndObject)
}

func (s *Service) exportKeys(ctx context.Context, e *core.Export) error {
	keys, err := s.listAgentKeys(ctx, e.By, core.None{})
	if err != nil {
		return err
	}
	return e.Value(keys)
}
