package cli_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/app/api"
	"hearth/store/storetest"
)

var update = flag.Bool("update", false, "rewrite the list of endpoints in the README")

const readmePath = "../../README.md"

func readme(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(readmePath)
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
		t.Fatalf("the README has no section marked %q", name)
	}
	return body
}

// The endpoints in the README match the route table.
func TestREADMEEndpoints(t *testing.T) {
	var want strings.Builder
	want.WriteString("| Method | Path | For | What |\n|---|---|---|---|\n")
	for _, r := range api.Routes(api.Described()) {
		fmt.Fprintf(&want, "| %s | `%s` | %s | %s |\n", r.Method, r.Path, r.Op.Info().Guard, r.Op.Info().Summary)
	}
	text := readme(t)
	have := section(t, text, "endpoints")
	if have == want.String() {
		return
	}
	if !*update {
		t.Fatal("the list of endpoints differs from the route table; run: go test ./app/cli -run README -update")
	}
	text = strings.Replace(text, "<!-- endpoints -->\n"+have, "<!-- endpoints -->\n"+want.String(), 1)
	if err := os.WriteFile(readmePath, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var (
	settingRow = regexp.MustCompile("(?m)^\\| `(--[a-z-]+)` \\| `([A-Z_]+)` \\|")
	helpFlag   = regexp.MustCompile(`(?m)^   (--[a-z-]+).*\[\$([A-Z_]+)\]$`)
)

// The settings in the README match the flags of the server.
func TestREADMESettings(t *testing.T) {
	names := func(re *regexp.Regexp, text string) (out []string) {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1]+" "+m[2])
		}
		return out
	}
	have := names(settingRow, section(t, readme(t), "settings"))
	want := names(helpFlag, hearth(t, "serve", "--help").out)
	if d := cmp.Diff(want, have); d != "" || len(want) < 10 {
		t.Errorf("hearth serve --help (-) and the table under Settings in the README (+) differ: %s", d)
	}
}

// walkStep is a command of the README's walkthrough and its output.
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

// The README's walkthrough works on a new server.
func TestREADMEWalk(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			storetest.Without(t, "the walk needs %s, which is not installed", tool)
		}
	}
	steps := walk(readme(t))
	if len(steps) < 8 {
		t.Fatalf("the README has %d steps", len(steps))
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
		t.Errorf("the walkthrough ended with %v", err)
	}
	for i, step := range steps {
		_, got, reached := strings.Cut(string(out), fmt.Sprintf("\n@@%d@@\n", i))
		got, _, _ = strings.Cut(got, "\n@@")
		if !reached {
			t.Fatalf("the walkthrough did not reach:\n%s\nit printed\n%s", step.command, out)
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(step.want)), "…", ".*")
		if !regexp.MustCompile(`(?s)^` + pattern + `$`).MatchString(strings.TrimSpace(got)) {
			t.Errorf("%s\nprints\n%s\nwant\n%s", step.command, got, step.want)
		}
	}
}
