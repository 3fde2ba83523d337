package list

import (
	"net/url"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/store"
)

// Whatever a page says, its preview is short, plain text, and names no address
// but one on the web.
func FuzzReadPreview(f *testing.F) {
	for _, body := range []string{
		"", "<title>x</title>", "<meta property=og:title content='\x00\x1b[31m\u202eabc'>", "<title>a<title>b", "<meta name content>",
		`<meta property="og:image" content="//evil.example/x.png">`, `<meta property="og:image" content="http://user:pass@h/">`,
		"<head></head><title>late</title>",
	} {
		f.Add("text/html; charset=utf-8", []byte(body))
	}
	f.Add("image/png", []byte{0x89})
	f.Add("", []byte("  <html>"))
	page := &url.URL{Scheme: "https", Host: "www.page.example", Path: "/a/b.html"}
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		p := readPreview(page, contentType, body)
		for _, s := range []string{p.Title, p.Description, p.SiteName, p.Image} {
			if !utf8.ValidString(s) || s != plainText(s, store.MaxPreviewImage) {
				t.Errorf("not plain: %q", s)
			}
		}
		if utf8.RuneCountInString(p.Title) > maxPreviewTitle || utf8.RuneCountInString(p.Description) > maxPreviewText || p.SiteName == "" {
			t.Errorf("%+v", p)
		}
		if u, err := url.Parse(p.Image); p.Image != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil) {
			t.Errorf("the picture is %q", p.Image)
		}
	})
}

// No file makes the import fail in another way than with a sentence, and what is
// read from it passes the checks of items or is refused by them.
func FuzzParsePortable(f *testing.F) {
	for format, data := range map[string]string{
		"json": `{"schema":"hearth.list.v1","title":"T","items":[{"content":"a"}]}`, "csv": "content,link\n'=a,http://b/\n",
		"md":        "# T\n\n1. [a](<http://b/>) — c\n  d\n",
		"bookmarks": "<H1>T</H1><DL><DT><H3>F</H3><DL><DT><A HREF='http://a/'>b</A><DD>c</DL></DL>",
	} {
		f.Add(format, []byte(data))
	}
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		p, err := parsePortable(format, data)
		if err == nil {
			err = p.check("")
		}
		if err != nil && core.As(err).Kind != core.Invalid && core.As(err).Kind != core.TooLarge {
			t.Errorf("%v", err)
		}
	})
}

// The memory for reading a file grows with its size and not faster, whatever is in it.
func TestParsePortableIsLinear(t *testing.T) {
	for name, c := range map[string]struct {
		format string
		data   func(n int) string
	}{
		"an entry that goes on": {"md", func(n int) string { return "- a\n" + strings.Repeat("  xxxxxxxx\n", n) }},
		"a text before entries": {"md", func(n int) string { return strings.Repeat("xxxxxxxx\n", n) }},
		"many columns":          {"csv", func(n int) string { return strings.Repeat("a,", n) + "content\n" + strings.Repeat("x\n", n) }},
		"folders in folders": {"bookmarks", func(n int) string {
			return strings.Repeat("<H3>f</H3>", n) + strings.Repeat("<A HREF=http://a/>a</A>", n)
		}},
		"items of JSON": {"json", func(n int) string { return `{"schema":"hearth.list.v1","items":[{}` + strings.Repeat(",{}", n) + `]}` }},
	} {
		allocated := func(n int) float64 {
			data := []byte(c.data(n))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = parsePortable(c.format, data)
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc-before.TotalAlloc) + 1<<16
		}
		if few, many := allocated(1000), allocated(10_000); many > 30*few {
			t.Errorf("%s: ten times the size needs %.0f times the memory", name, many/few)
		}
	}
}
