package app_test

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// foundTexts are what a search of messages and of items finds: the text, and words with
// which it is found alone, and without which.
var foundTexts = []struct {
	text    string
	finds   []string
	without []string
}{
	{"明日の会議は東京で三時から", []string{"会議", "東京", "明日の", "三", "三時から"},
		[]string{"京東", "大阪", "会社"}},
	{"カメラとﾚﾝｽﾞを買う", []string{"カメラ", "レンズ", "買う", "メラ"}, []string{"ラメ"}},
	{"สวัสดีชาวโลก", []string{"สวัสดี", "โลก", "ชาวโลก"},
		[]string{"โลกชาว"}},
	{"안녕하세요 여러분", []string{"안녕", "여러분"}, []string{"분여"}},
	{"هٰذَا مُحَمَّدٌ ـكتاب", []string{"محمد", "مُحَمَّد", "كتاب", "هذا"}, []string{"محمدد"}},
	{"שָׁלוֹם עולם", []string{"שלום", "עולם", "שָׁלוֹם"}, []string{"לום"}},
	{"हिन्दी सीखो", []string{"हिन्दी", "सीखो"}, []string{"हन"}},
	{"İstanbul ve ISPARTA", []string{"istanbul", "İSTANBUL", "İstanbul", "isparta"}, []string{"stanbul"}},
	{"Die Straße zum Fluß", []string{"strasse", "STRASSE", "Straße", "fluss", "stras"}, []string{"trasse", "st"}},
	{"Un café, s'il vous plaît", []string{"cafe", "café", "CAFÉ", "cafe\u0301", "plait", "vous"}, []string{"caf vo", "afe"}},
	{"smørrebrød, Æbler og ŁÓDŹ", []string{"smorrebrod", "aebler", "lodz", "smør"}, []string{"brod"}},
	{"Привет, Ёлка", []string{"привет", "ПРИВЕТ", "елка", "прив"}, []string{"ривет"}},
	{"Άλφα ΟΔΟΣ", []string{"αλφα", "οδος", "ΑΛΦΑ"}, []string{"λφα"}},
	{"tomatoes grow beside basil", []string{"tomatoes", "toma", "tom", "basil tomatoes", "TOMATO grow", `"grow beside"`,
		`"tomatoes grow beside"`}, []string{"to", "atoes", `"beside grow"`, `"tomato grow"`, "tomatoes parsley"}},
	{"an ox at gate 42b", []string{"ox", "an", "42b", "gate ox"}, []string{"o", "oxen"}},
	{"C++ & C#: a_b/c-d 100% <tag>", []string{"C++", "c#", "tag", "100", "a b c d", "a_b"}, []string{"101"}},
	{"party 🎉 with 🥑🥑", []string{"🎉", "🥑", "🥑🥑", "party 🎉"}, []string{"🍅", "🎉 nothing"}},
	{"see https://example.org/path?query=value", []string{"example", "example.org", "path", "https://example.org/path", "value"},
		[]string{"xample"}},
	{"ＡＢＣ ﬁne ½ Soft\u00adhyphen", []string{"abc", "fine", "softhyphen"}, []string{"bc"}},
	{"O'Reilly, Jean-Luc and van der Berg", []string{"o'reilly", "reilly", "jean-luc", "jean", `"jean-luc"`, `"van der berg"`, "berg van"},
		[]string{"eilly", `"der van"`}},
	{strings.Repeat("padding ", 240) + "needleattheend", []string{"needleattheend", "needle padding", `"padding needleattheend"`},
		[]string{"needles", `"needleattheend padding"`}},
}

// anything is text that means something to an index or a database, or to nobody.
var anything = []string{`"`, `""`, `'`, "*", "^a", "a*", "(a", "{words}: a", "-a", "+", "a NEAR b", "AND OR NOT", "a AND b", "NEAR(a b)",
	"\u200b", "%", "_", ";--", `\`, "\u0301", "\ue000",
	"words:a", `"a" OR "b`, "前:後", strings.Repeat("a ", 200), strings.Repeat("会", 500)}

func (w *world) foundMessages(who, q string) []string {
	w.t.Helper()
	var out struct{ Messages []struct{ Content string } }
	w.read(w.json(who, "GET", "/api/chat/search?limit=100&q="+url.QueryEscape(q), ""), 200, &out)
	texts := []string{}
	for _, m := range out.Messages {
		texts = append(texts, m.Content)
	}
	return texts
}

func (w *world) foundItems(who, q string) []string {
	w.t.Helper()
	var out struct{ Items []struct{ Content string } }
	w.read(w.json(who, "GET", "/api/search?kind=items&limit=100&q="+url.QueryEscape(q), ""), 200, &out)
	texts := []string{}
	for _, i := range out.Items {
		texts = append(texts, i.Content)
	}
	return texts
}

// What is found, at once and once it is indexed: words of every script in any form, by
// those who may read them and nobody else, and never what was changed or deleted.
func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := w.group("ben") + "/messages"
	list := idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"Zettelkasten","visibility":"private"}`).body)
	w.read(w.json("ada", "PUT", "/api/lists/"+list+"/members/"+w.cast.Ben.ID, `{"role":"viewer"}`), 200, nil)
	add := func(text string) (message, item string) {
		body, err := json.Marshal(map[string]string{"content": text})
		if err != nil {
			t.Fatal(err)
		}
		items := "/api/lists/" + list + "/items"
		return idIn(t, w.json("ada", "POST", at, string(body)).body), items + "/" + idIn(t, w.json("ada", "POST", items, string(body)).body)
	}
	for _, f := range foundTexts {
		add(f.text)
	}
	changed, changedItem := add("quagga before")
	gone, goneItem := add("quagga gone")
	check := func(when string) {
		t.Helper()
		for _, f := range foundTexts {
			for _, q := range f.finds {
				for what, got := range map[string][]string{"messages": w.foundMessages("ben", q), "items": w.foundItems("ben", q)} {
					if !slices.Contains(got, f.text) {
						t.Errorf("%s: %q finds the %s %.100q, and not %.60q", when, q, what, got, f.text)
					}
				}
				if got := append(w.foundMessages("stranger", q), w.foundItems("stranger", q)...); len(got) > 0 {
					t.Errorf("%s: a stranger finds %.60q with %q", when, got, q)
				}
			}
			for _, q := range f.without {
				if got := append(w.foundMessages("ben", q), w.foundItems("ben", q)...); slices.Contains(got, f.text) {
					t.Errorf("%s: %q finds %.60q", when, q, f.text)
				}
			}
		}
		for _, q := range anything {
			for _, path := range []string{"/api/chat/search?q=", "/api/search?q="} {
				if res := w.json("ben", "GET", path+url.QueryEscape(q), ""); res.status >= 500 {
					t.Errorf("%s: %s%.60q: %d %s", when, path, q, res.status, res.body)
				}
			}
		}
	}
	wantQuagga := func(when string, want ...string) {
		t.Helper()
		for _, q := range []string{"quagga", "quagg"} {
			if got := w.foundMessages("ben", q); !slices.Equal(got, want) {
				t.Errorf("%s: messages %q, want %q", when, got, want)
			}
			if got := w.foundItems("ben", q); !slices.Equal(got, want) {
				t.Errorf("%s: items %q, want %q", when, got, want)
			}
		}
	}
	indexed := func() {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); w.count(`SELECT count(*) FROM word_queue`) > 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the words are not indexed")
			}
		}
	}
	check("at once")
	wantQuagga("at once", "quagga gone", "quagga before")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go w.app.DB().KeepWords(ctx, slog.New(slog.DiscardHandler))
	indexed()
	check("indexed")
	wantQuagga("indexed", "quagga gone", "quagga before")
	must := func(method, path, body string) {
		t.Helper()
		if res := w.json("ada", method, path, body); res.status >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, res.status, res.body)
		}
	}
	must("PATCH", "/api/chat/messages/"+changed, `{"content":"zebra after"}`)
	must("PATCH", changedItem, `{"content":"zebra after"}`)
	must("DELETE", "/api/chat/messages/"+gone, "")
	must("DELETE", goneItem, "")
	for _, when := range []string{"changed", "and indexed"} {
		wantQuagga(when)
		if got := append(w.foundMessages("ben", "zebr"), w.foundItems("ben", "zebr")...); !slices.Equal(got,
			[]string{"zebra after", "zebra after"}) {
			t.Errorf("%s: %q", when, got)
		}
		indexed()
	}
	var lists struct{ Lists []struct{ Title string } }
	for who, want := range map[string]int{"ada": 1, "ben": 1, "stranger": 0} {
		w.read(w.json(who, "GET", "/api/search?kind=lists&q=zettel", ""), 200, &lists)
		if len(lists.Lists) != want {
			t.Errorf("%s finds %d lists", who, len(lists.Lists))
		}
	}
	must("DELETE", "/api/lists/"+list, "")
	if got := w.foundItems("ada", "zebra"); len(got) > 0 {
		t.Errorf("of a deleted list: %q", got)
	}
}
