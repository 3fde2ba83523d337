package list

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/store"
)

// What Markdown would take for its own is escaped where it would, and only there.
func TestEscapeMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"a `b` *c* [d] <e> f|g h&i ~j k\\l": "a \\`b\\` \\*c\\* \\[d\\] \\<e\\> f\\|g h\\&i \\~j k\\\\l",
		"- a\n # b\n\t+ c\n== d":            "\\- a\n \\# b\n\t\\+ c\n\\== d", // only the first character
		"a - b # c + d = e":                 "a - b # c + d = e",
		"a\x00b\x1fc\x7fd\te":               "abcd\te",
		"a\x01 \r\nb":                       "a \nb",
		"1. a\n 20) b\n\t9. c":              "1\\. a\n 20\\) b\n\t9\\. c",
		"1 a\n2, b\n. c\n) d\n34":           "1 a\n2, b\n. c\n) d\n34",
		"a 1. b":                            "a 1. b",
		"0) a":                              "0\\) a",
		"/. a":                              "/. a",
		":) a":                              ":) a",
	} {
		if got := EscapeMarkdown(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestXMLText(t *testing.T) {
	if got, want := xmlText("a\x00\x08\tb\nc\rd\x0b\x1f e\ufffef\uffffg\ufffdh"), "a\tb\nc\rd ef"+"g\ufffdh"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestItemTitle(t *testing.T) {
	for content, want := range map[string]string{
		"a": "a", "a\nb": "a", strings.Repeat("é", 100) + "\nb": strings.Repeat("é", 100),
		strings.Repeat("é", 101): strings.Repeat("é", 100) + "…",
	} {
		if got := itemTitle(Item{Content: content}); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}

// Which words of a response are its preview.
func TestReadPreview(t *testing.T) {
	long, text := strings.Repeat("x", maxPreviewTitle), strings.Repeat("x", maxPreviewText)
	for name, c := range map[string]struct {
		address, contentType, body string
		want                       store.LinkPreview
	}{
		"a title":                   {"/a", "text/html; charset=utf-8", "<title>T</title>", store.LinkPreview{Title: "T"}},
		"XHTML":                     {"/a", "application/xhtml+xml", "<html><title>T</title>", store.LinkPreview{Title: "T"}},
		"no type, and a tag":        {"/a", "", " \n<title>T</title>", store.LinkPreview{Title: "T"}},
		"no type, and no tag":       {"/a", "", "T<title>T</title>", store.LinkPreview{Title: "a"}},
		"text that begins with a <": {"/a", "text/plain", "<title>T</title>", store.LinkPreview{Title: "a"}},
		"a picture": {"/b/a.png", "image/png", "<title>T</title>",
			store.LinkPreview{Title: "a.png", Image: "https://page.example/b/a.png"}},
		"HTML without a title":      {"/a", "text/html", "", store.LinkPreview{}},
		"a file without a name":     {"/", "application/pdf", "", store.LinkPreview{}},
		"a file without a path":     {"", "application/pdf", "", store.LinkPreview{}},
		"the longest name":          {"/" + long, "application/pdf", "", store.LinkPreview{Title: long}},
		"a longer name":             {"/" + long + "y", "application/pdf", "", store.LinkPreview{Title: long[1:] + "…"}},
		"the first title":           {"/a", "text/html", "<title>T</title><title>U</title>", store.LinkPreview{Title: "T"}},
		"a title in the body":       {"/a", "text/html", "<body><title>T</title>", store.LinkPreview{}},
		"a title behind the head":   {"/a", "text/html", "<head></head><title>T</title>", store.LinkPreview{}},
		"a title behind other tags": {"/a", "text/html", "<link><style></style><title>T</title>", store.LinkPreview{Title: "T"}},
		"an empty title": {"/a", "text/html", "<title></title><meta name=description content=D>",
			store.LinkPreview{Description: "D"}},
		"the title of Open Graph": {"/a", "text/html",
			`<title>T</title><meta property="og:title" content="O"><meta name="twitter:title" content="W">`, store.LinkPreview{Title: "O"}},
		"the title of Twitter": {"/a", "text/html", `<title>T</title><meta name=" Twitter:Title " content="W"/>`,
			store.LinkPreview{Title: "W"}},
		"the first of equal names": {"/a", "text/html", `<meta name=description content=D><meta name=description content=E>`,
			store.LinkPreview{Description: "D"}},
		"the first name of an entry": {"/a", "text/html", `<meta name=description property=og:title content=D>`,
			store.LinkPreview{Description: "D"}},
		"an empty value": {"/a", "text/html", `<title>T</title><meta property="og:title" content=" ">`,
			store.LinkPreview{Title: "T"}},
		"descriptions": {"/a", "text/html",
			`<meta name="twitter:description" content="W"><meta name=description content=D><meta property="og:description" content=O>`,
			store.LinkPreview{Description: "O"}},
		"a relative picture": {"/b/a", "text/html", `<meta property="og:image" content="c.png">`,
			store.LinkPreview{Image: "https://page.example/b/c.png"}},
		"the secure picture": {"/a", "text/html",
			`<meta property="og:image" content="c.png"><meta property="og:image:secure_url" content="/d.png">`,
			store.LinkPreview{Image: "https://page.example/d.png"}},
		"the longest title": {"/a", "text/html", "<title>" + long + "</title>", store.LinkPreview{Title: long}},
		"a longer title":    {"/a", "text/html", "<title>" + long + "y</title>", store.LinkPreview{Title: long[1:] + "…"}},
		"the longest texts": {"/a", "text/html", `<meta property="og:title" content="` + long + `"><meta name=description content="` + text +
			`"><meta name=application-name content="` + long + `">`,
			store.LinkPreview{Title: long, Description: text, SiteName: long}},
		"longer texts": {"/a", "text/html", `<meta property="og:title" content="` + long + `y"><meta name=description content="` + text +
			`y"><meta name=application-name content="` + long + `y">`,
			store.LinkPreview{Title: long[1:] + "…", Description: text[1:] + "…", SiteName: long[1:] + "…"}},
		"a long way to a picture": {"/b/a", "text/html", `<meta property="og:image" content="` + strings.Repeat("./", 1024) + `c.png">`,
			store.LinkPreview{Image: "https://page.example/b/c.png"}},
		"a site": {"/a", "text/html", `<meta name=application-name content=A><meta property="og:site_name" content=S>`,
			store.LinkPreview{SiteName: "S"}},
	} {
		if c.want.SiteName == "" {
			c.want.SiteName = "page.example"
		}
		got := readPreview(&url.URL{Scheme: "https", Host: "page.example", Path: c.address}, c.contentType, []byte(c.body))
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
	if got := readPreview(&url.URL{Scheme: "https", Host: "www.page.example:8443"}, "text/html", nil).SiteName; got != "page.example" {
		t.Errorf("the site is %q", got)
	}
}

// A picture has an address on the web, without a name and a password, that is not
// too long.
func TestImageOf(t *testing.T) {
	page := &url.URL{Scheme: "https", Host: "page.example", Path: "/b/a"}
	full := "https://c.example/" + strings.Repeat("x", store.MaxPreviewImage-len("https://c.example/"))
	for ref, want := range map[string]string{
		"": "", "#": "https://page.example/b/a", "http://c.example/d": "http://c.example/d", "//c.example/d": "https://c.example/d", full: full,
		full + "x":          "",
		"ftp://c.example/d": "", "data:image/png,x": "", "javascript:x": "", "http:///d": "", "https:d": "", "https://u@c.example/": "",
		"https://u:p@c.example/": "", "http://%zz/": "",
	} {
		if got := imageOf(page, ref); got != want {
			t.Errorf("%.60q: got %.60q, want %.60q", ref, got, want)
		}
	}
}

func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"  a\tb\nc\rd  e ":                        "a b c d e",
		"a\x00\x1f\x7f\u009fb\u00a0c":             "ab c",
		"a\u202a\u202b\u202eb\u2066\u2067\u2069c": "abc",
		"\u2029a\u2029":                           "a",
		"a\u202fb":                                "a b",
		"\u2065a\u206ab":                          "\u2065a\u206ab",
		"a\xffb":                                  "a\ufffdb",
		"~é":                                      "~é",
		"0123456789":                              "0123456789",
		"0123456789a":                             "012345678…",
		"01234567 9a":                             "01234567…",
		"éééééééééé":                              "éééééééééé",
		"ééééééééééé":                             "ééééééééé…",
		"0123456789    ":                          "0123456789",
		"    0123456789a":                         "012345678…",
	} {
		if got := plainText(text, 10); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// An error of a browser has at most 4 KiB, in whichever of its texts.
func TestReportedErrorsAreBounded(t *testing.T) {
	s := New(Config{Log: slog.New(slog.DiscardHandler)})
	for _, in := range []LogErrorIn{{Message: "m", Stack: "s", URL: "u"}, {Message: "mm", Stack: "s"}, {Message: "mm", URL: "u"}} {
		for over := range 2 {
			for _, text := range []*string{&in.Message, &in.Stack, &in.URL} {
				was := *text
				*text += strings.Repeat("x", maxReportedError-len(in.Message)-len(in.Stack)-len(in.URL)+over)
				if _, err := s.logError(t.Context(), store.Viewer{}, in); core.IsKind(err, core.TooLarge) != (over > 0) {
					t.Errorf("%d, %d and %d bytes: %v", len(in.Message), len(in.Stack), len(in.URL), err)
				}
				*text = was
			}
		}
	}
}

// A page that does not answer in time is told from one that cannot be read.
func TestTimeoutOfAPage(t *testing.T) {
	e := core.As(pageError(context.DeadlineExceeded))
	if e.Kind != core.BadGateway || e.Code != "upstream_timeout" || !strings.Contains(e.Msg, "within 5 seconds") {
		t.Errorf("%+v", e)
	}
}
