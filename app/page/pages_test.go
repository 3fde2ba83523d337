package page

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/app/admin"
	"hearth/web"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden is the folder of the pages as they should be.
const golden = "../../testdata/pages"

func testViews(t *testing.T) *views {
	t.Helper()
	v, err := loadViews()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// hashless takes the hash out of asset addresses, so that a changed colour
// does not change every golden page.
func hashless(t *testing.T, b []byte) string {
	t.Helper()
	assets, err := web.NewAssets()
	if err != nil {
		t.Fatal(err)
	}
	address, err := assets.URL("app.css")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), strings.TrimSuffix(address, "/app.css"), "/static/HASH")
}

// exact are the pages whose markup matters to the last character: the scripts read it.
var exact = []string{"chat-full", "list-full", "list_item-full", "login-full", "settings-full"}

// Every template shows its forms, links, headings and landmarks, for full and empty
// values. The folder in HEARTH_PAGES_OUT gets the pages.
func TestPages(t *testing.T) {
	t.Parallel()
	v := testViews(t)
	for _, name := range templates() {
		full, ok := samples()[name]
		if !ok {
			t.Errorf("page %q has no sample values in samples_test.go", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			var outlines strings.Builder
			for _, kind := range []string{"empty", "full"} {
				data := full
				if kind == "empty" {
					data = withMe(reflect.Zero(reflect.TypeOf(full)).Interface())
				}
				b, err := v.render(name, data)
				if err != nil {
					t.Fatal(err)
				}
				page := name + "-" + kind
				fmt.Fprintf(&outlines, "-- %s --\n%s", page, outlineOf(t, b))
				if slices.Contains(exact, page) {
					compare(t, page+".html", hashless(t, b))
				}
				if out := os.Getenv("HEARTH_PAGES_OUT"); out != "" {
					if err := os.WriteFile(filepath.Join(out, page+".html"), b, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			compare(t, name+".txt", outlines.String())
		})
	}
}

// withMe adds the signed-in person to the empty pages that always have one.
func withMe(data any) any {
	if v, ok := data.(chatNewView); ok && v.Me == nil {
		v.Me = &Person{}
		return v
	}
	if v, ok := data.(settingsView); ok && v.Me == nil {
		v.Me = &Person{}
		return v
	}
	return data
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(golden, name)
	if *update {
		if err := os.MkdirAll(golden, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update if it should:\n%s", name, diff)
	}
}

func TestHostileTextIsEscaped(t *testing.T) {
	v := testViews(t)
	evil := `</textarea><script>alert(1)</script>" onload="x`
	data := samples()["chat"].(chatView)
	data.Head.Title = evil
	data.Messages[0].Content = evil + " javascript:alert(1) https://a.example/\"onclick=x"
	data.Messages[0].Sender.Name = evil
	data.Form = newForm("content", evil)
	b, err := v.render("chat", data)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script>alert", `" onload="`, `href="javascript`, `src="javascript`, `"onclick`} {
		if strings.Contains(string(b), bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
}

func TestTimes(t *testing.T) {
	at := sampleTime(0)
	if got, want := fmt.Sprint(datesIn("").date(at), "|", clock(at), "|", datesIn("").dateTime(at), "|", datesIn("").short(at)),
		"20 November 2026|09:40 UTC|20 November 2026, 09:40 UTC|20 Nov 2026"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := sampleTime(time.Hour); got.Sub(at) != time.Hour {
		t.Errorf("sampleTime is off: %v", got)
	}
}

// Dates are written in every language that administrators can choose.
func TestDatesOfLanguages(t *testing.T) {
	want := map[string]string{
		"auto": "20 November 2026", "de": "20. November 2026", "en": "20 November 2026", "es": "20 de noviembre de 2026",
		"fr": "20 novembre 2026", "it": "20 novembre 2026",
		"ja": "2026年11月20日", "nl": "20 november 2026", "pl": "20 listopada 2026", "pt": "20 de novembro de 2026", "sv": "20 november 2026",
		"tr": "20 Kasım 2026",
	}
	for _, l := range admin.Languages() {
		if got := datesIn(l[0]).date(sampleTime(0)); got != want[l[0]] || got == "" {
			t.Errorf("%s: %s, want %s", l[0], got, want[l[0]])
		}
		if got, at := datesIn(l[0]).date(sampleTime(24*24*time.Hour)),
			sampleTime(24*24*time.Hour).Go(); !strings.Contains(got, fmt.Sprint(at.Day())) {
			t.Errorf("%s: December is %s", l[0], got)
		}
	}
}
