package page

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"hearth/app/chat"
)

func TestFormatted(t *testing.T) {
	a := func(address, label string) string {
		return `<a href="` + address + `" rel="nofollow noopener ugc">` + label + `</a>`
	}
	jo := `<a class="mention" href="/people/x"><bdi>@Jo_x</bdi></a>`
	names := []nameView{{Typed: "@Jo_x", URL: "/people/x"}, {Typed: "@Both"}, {Typed: "@Jo", URL: "/people/j", Me: true}}
	for _, c := range []struct{ text, want string }{
		{"hello", `<p dir="auto">hello</p>`},
		{"one\n two  three", "<p dir=\"auto\">one\n two  three</p>"},
		{"one\n\ntwo", `<p dir="auto">one</p><p dir="auto">two</p>`},
		{"**bold** and *italic* and _too_ and ~~gone~~",
			`<p dir="auto"><strong>bold</strong> and <em>italic</em> and <em>too</em> and <del>gone</del></p>`},
		{"2*3*4 snake_case_name a~b~c", `<p dir="auto">2*3*4 snake_case_name a~b~c</p>`},
		{"これは**重要**です", `<p dir="auto">これは<strong>重要</strong>です</p>`},
		{"`a < b && *c*`", `<p dir="auto"><code>a &lt; b &amp;&amp; *c*</code></p>`},
		{"```go\nif a < b {\n  :tada:\n}\n```", "<pre tabindex=\"0\"><code>if a &lt; b {\n  :tada:\n}\n</code></pre>"},
		{"> said\nmy answer", `<blockquote><p dir="auto">said</p></blockquote><p dir="auto">my answer</p>`},
		{"- one\n- two", `<ul><li>one</li><li>two</li></ul>`},
		{"3. one\n4. two", `<ol start="3"><li>one</li><li>two</li></ol>`},
		{"see https://x.example/a_b_c, **now**", `<p dir="auto">see ` + a("https://x.example/a_b_c", "https://x.example/a_b_c") +
			`, <strong>now</strong></p>`},
		{"http://x.example or ftp://x.example", `<p dir="auto">` + a("http://x.example", "http://x.example") + ` or ftp://x.example</p>`},
		{"(https://x.example/_a_/)", `<p dir="auto">(` + a("https://x.example/_a_/", "https://x.example/_a_/") + `)</p>`},
		{"[soups](https://x.example)", `<p dir="auto">` + a("https://x.example", "soups") + `</p>`},
		{"[bank.example](https://x.example)", `<p dir="auto">` + a("https://x.example", "bank.example") + ` (x.example)</p>`},
		{"[now](javascript:alert(1))", `<p dir="auto">now (javascript:alert(1))</p>`},
		{"![pic](https://x.example/a.png)", `<p dir="auto">!` + a("https://x.example/a.png", "pic") + `</p>`},
		{"<b>An otter</b> &amp; <script>alert(1)</script>",
			`<p dir="auto">&lt;b&gt;An otter&lt;/b&gt; &amp;amp; &lt;script&gt;alert(1)&lt;/script&gt;</p>`},
		{"*a* (http://@(http://b.example http://c.example", `<p dir="auto"><em>a</em> (http://@(http://b.example ` +
			a("http://c.example", "http://c.example") + `</p>`},
		{":tada::tada: :qq:tada: a:tada: :" + strings.Repeat("x", 100) + ":tada: ::", `<p dir="auto">🎉🎉 :qq:tada: a:tada: :` +
			strings.Repeat("x", 100) + `:tada: ::</p>`},
		{"well done :tada: :nothing_like_it: 10:100:20", `<p dir="auto">well done 🎉 :nothing_like_it: 10:100:20</p>`},
		{"# no heading\n===\n---\n[a]: https://x.example", "<p dir=\"auto\"># no heading\n===\n---\n[a]: " +
			a("https://x.example", "https://x.example") + "</p>"},
		{`\*stars\*`, `<p dir="auto">*stars*</p>`},
		{"-", `<p dir="auto">-</p>`}, {"3. ", `<p dir="auto">3. </p>`}, {">", `<p dir="auto">&gt;</p>`}, {"```", "<p dir=\"auto\">```</p>"},
		{"@Jo_x, **@Jo_x** @Jo! [@Jo](https://x.example) @Joan x@Jo `@Jo` @Both", `<p dir="auto">` + jo + `, <strong>` + jo +
			`</strong> <a class="mention mention-me" href="/people/j"><bdi>@Jo</bdi></a>! ` + a("https://x.example", "@Jo") +
			` @Joan x@Jo <code>@Jo</code> <span class="mention"><bdi>@Both</bdi></span></p>`},
		{"@Jo_x", `<p dir="auto">` + jo + `</p>`},
		{"    four spaces", `<p dir="auto">    four spaces</p>`},
	} {
		if got := string(formatted(c.text, names)); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	if got := string(formatted(strings.Repeat("> ", 50)+"deep", nil)); strings.Contains(got, "blockquote") {
		t.Errorf("a quote of 50 levels is shown as one: %s", got)
	}
}

var allowed = regexp.MustCompile(`^(p dir="auto"|pre tabindex="0"|ol start="\d+"|` +
	`a href="https?://[^"<>]+" rel="nofollow noopener ugc"|code|em|strong|del|ul|li|blockquote)$`)

// checkMarkup reports what is in HTML besides the elements and attributes that
// messages may have, and elements that are not closed in order.
func checkMarkup(t *testing.T, source, out string) {
	t.Helper()
	var open []string
	z := html.NewTokenizer(strings.NewReader(out))
	for z.Next() != html.ErrorToken {
		raw := strings.Trim(string(z.Raw()), "<>")
		switch token := z.Token(); token.Type {
		case html.TextToken:
		case html.StartTagToken:
			if !allowed.MatchString(raw) {
				t.Fatalf("%q has <%s>: %s", source, raw, out)
			}
			open = append(open, token.Data)
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("%q closes %s: %s", source, token.Data, out)
			}
			open = open[:len(open)-1]
		default:
			t.Fatalf("%q has %s", source, token)
		}
	}
	if len(open) > 0 {
		t.Fatalf("%q leaves %q open: %s", source, open, out)
	}
}

func FuzzFormatted(f *testing.F) {
	for _, s := range []string{"**a** _b_ `c` ~~d~~", "> a\nb\n- c\n1. d\n```\ne\n```",
		"[a](https://b.example \"c\") <https://d.example> ![e](f)",
		"<img src=x onerror=alert(1)>", `[x](https://a.example/"onmouseover="y)`, "[a](https://b.example/<script>)", ":tada:", "****a**b**",
		strings.Repeat("[", 300), strings.Repeat("*a ", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := string(formatted(s, nil))
		checkMarkup(t, s, out)
		shown := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(out, "")
		if strings.ContainsFunc(s, unicode.IsLetter) && strings.TrimSpace(shown) == "" {
			t.Errorf("nothing of %q is seen: %s", s, out)
		}
	})
}

// nested returns a list in which every item is below the one before.
func nested(length int) string {
	var out strings.Builder
	for i := 0; out.Len() < length; i++ {
		out.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return out.String()
}

// Where a message is shown on one line, it has no signs of markup.
func TestUnformatted(t *testing.T) {
	for message, want := range map[string]string{
		"Is the soup on?":                         "Is the soup on?",
		"Supper **tonight**, at _six_ :tada:":     "Supper tonight, at six 🎉",
		"- soup\n- ~~spoons~~":                    "- soup - spoons",
		"3. I agree":                              "3. I agree",
		"> Who cooks?\nI do, 2 < 3 & \"so\"":      "Who cooks? I do, 2 < 3 & \"so\"",
		"`a*b` and <b>no</b> *element*":           "a*b and <b>no</b> element",
		"cut off **in the mid…":                   "cut off **in the mid…",
		"https://soups.example/a_b_c is *a* link": "https://soups.example/a_b_c is a link",
	} {
		if got := unformatted(message); got != want {
			t.Errorf("%q is %q, want %q", message, got, want)
		}
	}
}

func TestMarkedMessage(t *testing.T) {
	got := markedMessage(chat.Snippet{Text: "**Rye bread** and _bread_ soup", Highlights: [][]int{{6, 11}, {19, 24}}})
	want := []markedText{{"Rye ", false}, {"bread", true}, {" and ", false}, {"bread", true}, {" soup", false}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func BenchmarkFormatted(b *testing.B) {
	for name, s := range map[string]string{
		"plain":    "Is the soup on? I can bring bread.",
		"light":    "The *bread* is at https://soups.example, see **you** at six :tada:\n- bread\n- spoons",
		"brackets": strings.Repeat("[", maxSigns),
		"stars":    strings.Repeat("*a ", maxSigns),
		"nested":   nested(20000),
		"quotes":   strings.Repeat(">", 20000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				formatted(s, nil)
			}
		})
	}
}
