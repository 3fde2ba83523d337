package account

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// ExportIn is the input of Export.
type ExportIn struct {
	Range string `query:"range" json:"-" default:"last_day" enum:"last_hour|last_day|last_week|last_month|all_time" doc:"The period of messages and thoughts; the rest is exported whole. A month has 30 days."`
}

// ExportRange is the range of an export.
type ExportRange struct {
	Key   string      `json:"key" enum:"last_hour|last_day|last_week|last_month|all_time"`
	Label string      `json:"label"`
	Since *store.Time `json:"since" doc:"Null for all time"`
}

func exportRange(key string, now store.Time) ExportRange {
	const day = 24 * time.Hour
	for _, r := range []struct {
		key, label string
		life       time.Duration
	}{{"last_hour", "Last hour", time.Hour}, {"last_day", "Last day", day}, {"last_week", "Last week", 7 * day},
		{"last_month", "Last month", 30 * day}} {
		if r.key == key {
			since := now.Add(-r.life)
			return ExportRange{Key: key, Label: r.label, Since: &since}
		}
	}
	return ExportRange{Key: key, Label: "All time"}
}

const maxExports = 2

var errExporting = core.New(core.TooMany, "export_running", "Other exports are running. Try again in a minute.")

// The members of an export besides the account itself, in their order.
func exportMembers() []string {
	return []string{"conversations", "messageCount", "messages", "thoughts", "blockedUsers", "friendConnections", "agentKeys", "secretary",
		"intentDrafts", "stories", "intents", "socialPreferences", "agentMatches", "contextPosts", "contextIntentions", "communityInvitations",
		"pushSubscriptions", "notifications"}
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
	var me Me
	// Message times come from the write clock, which may be ahead. Without the later of both times, a message could
	// be missing from the count and present in the pages.
	var last, now store.Time
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		if me, err = s.getMe(r, by, core.None{}); err != nil {
			return err
		}
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
		if err := s.db.Read(ctx, func(r *store.Reader) error { return checkStanding(r, by) }); err != nil {
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
	all := map[string]core.ExportFunc{"agentKeys": s.exportKeys, "communityInvitations": core.ExportValue(s.db, s.ownInvitations)}
	maps.Copy(all, s.cfg.Exports())
	for _, name := range exportMembers() {
		write, ok := all[name]
		if !ok {
			continue
		}
		if err := cmp.Or(e.JSON.WriteToken(jsontext.String(name)), write(ctx, e)); err != nil {
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
