package limit

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"hearth/web"
)

// The table of limits in the handbook is the one of package limit.
func TestHandbookLimits(t *testing.T) {
	page, err := fs.ReadFile(web.Docs(), "settings.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "<!-- limits -->\n" + markdown() + "<!-- end -->"; !strings.Contains(string(page), want) {
		t.Errorf("web/docs/settings.md needs this table between its marks:\n%s", want)
	}
}

// markdown returns the table of all limits.
func markdown() string {
	var b strings.Builder
	b.WriteString("| Limit | For each | Calls | Within |\n|---|---|---|---|\n")
	for _, r := range table {
		kept := ""
		if r.Stored {
			kept = ", kept over restarts"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s%s |\n", r.Name, r.Per, r.N, duration(r.In), kept)
	}
	return b.String()
}

func duration(d time.Duration) string {
	switch {
	case d > 24*time.Hour:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d == 24*time.Hour:
		return "a day"
	case d == time.Hour:
		return "an hour"
	case d == time.Minute:
		return "a minute"
	case d%time.Minute == 0:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}
