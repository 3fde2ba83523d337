package cli_test

import (
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/store/storetest"
	"hearth/web"
)

// handbook returns a page of the handbook as Markdown.
func handbook(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(web.Docs(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// section returns the text between the marks with a name.
func section(t *testing.T, text, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "<!-- "+name+" -->\n")
	body, _, ended := strings.Cut(rest, "<!-- end -->")
	if !ok || !ended {
		t.Fatalf("the page has no section marked %q", name)
	}
	return body
}

var (
	settingRow = regexp.MustCompile("(?m)^\\| `(--[a-z-]+)` \\| `([A-Z_]+)` \\|")
	helpFlag   = regexp.MustCompile(`(?m)^   (--[a-z-]+).*\[\$([A-Z_]+)\]$`)
)

// The settings in the handbook match the flags of the server.
func TestHandbookSettings(t *testing.T) {
	names := func(re *regexp.Regexp, text string) (out []string) {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1]+" "+m[2])
		}
		return out
	}
	have := names(settingRow, section(t, handbook(t, "settings.md"), "settings"))
	want := names(helpFlag, hearth(t, "serve", "--help").out)
	if d := cmp.Diff(want, have); d != "" || len(want) < 10 {
		t.Errorf("hearth serve --help (-) and the table of the handbook (+) differ: %s", d)
	}
}

// walkStep is a command of the tour of the API and its output.
type walkStep struct{ command, want string }

// walk parses the marked blocks. The lines up to a blank line or an expected
// output are one command.
func walk(text string) (steps []walkStep) {
	var cur walkStep
	flush := func() {
		if strings.TrimSpace(cur.command) != "" {
			steps = append(steps, cur)
		}
		cur = walkStep{}
	}
	for _, block := range regexp.MustCompile("(?s)```sh walk\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			if want, ok := strings.CutPrefix(line, "#=> "); ok {
				cur.want += want
				continue
			}
			if cur.want != "" || strings.TrimSpace(line) == "" {
				flush()
			}
			cur.command += line
		}
		flush()
	}
	return steps
}

// The tour of the API works on a new server.
func TestHandbookTour(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			storetest.Without(t, "the tour needs %s, which is not installed", tool)
		}
	}
	steps := walk(handbook(t, "api.md"))
	if len(steps) < 8 {
		t.Fatalf("the tour has %d steps", len(steps))
	}
	s := serve(t, filepath.Join(t.TempDir(), "h.db"))
	script := "set -euo pipefail\n"
	for i, step := range steps {
		script += fmt.Sprintf("printf '\\n@@%d@@\\n'\n%s\n", i, step.command)
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = s.cmd.Dir, environment("HEARTH="+s.url, "no_proxy=*")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the tour ended with %v", err)
	}
	for i, step := range steps {
		_, got, reached := strings.Cut(string(out), fmt.Sprintf("\n@@%d@@\n", i))
		got, _, _ = strings.Cut(got, "\n@@")
		if !reached {
			t.Fatalf("the tour did not reach:\n%s\nit printed\n%s", step.command, out)
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(step.want)), "…", ".*")
		if !regexp.MustCompile(`(?s)^` + pattern + `$`).MatchString(strings.TrimSpace(got)) {
			t.Errorf("%s\nprints\n%s\nwant\n%s", step.command, got, step.want)
		}
	}
}
