// Package app puts the rooms together into one server.
package app

import (
	"io"
	"log/slog"
	"net/netip"
	"time"

	"hearth/store"
)

// Config is everything a server is told from outside. The zero value of a
// field means what its comment says; only Schema must be given.
type Config struct {
	DB            string         // the database file; hearth.db
	Schema        string         // schema.sql, to make a new file from
	Addr          string         // where to listen; 127.0.0.1:8080
	BaseURL       string         // what links begin with; made from Addr
	LegacyBaseURL string         // a second host of the same interface, accepted as origin, never written into links
	ContextLane   bool           // whether conversations have a Context lane
	PublicKey     string         // the published agent key; made at first start
	BridgeSecret  string         // shared with the one trusted peer; "" switches the bridge off
	JWTSecret     string         // signs user tokens; made at first start
	SMTPURL       string         // smtp:// or smtps://; "" writes mail to the log
	MailFrom      string         // sender of mails; hearth@ the base URL's host
	Signup        string         // "open" or "invite"; open
	AllowNet      []string       // hosts or CIDRs outside the public internet that may be reached
	TrustedProxy  []netip.Prefix // whose X-Forwarded-For is believed; none
	OpsAddr       string         // loopback address of metrics and profiling; none

	Version string           // what /health reports
	Log     *slog.Logger     // slog.Default()
	Out     io.Writer        // where the start lines for people go; os.Stdout
	Now     func() time.Time // the wall clock; time.Now
	Store   store.Options    // for tests: how the file is opened; Schema and Now are filled in
}
