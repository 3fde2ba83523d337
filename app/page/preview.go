package page

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

type publicationView struct {
	Story   *storyPart
	Match   *matchPart
	Reply   *replyPart
	Details string // visible only to the owner
	JSON    string
}

type storyPart struct {
	Author Person
	Text   string
	Reach  reachView
	Until  ending
}

type matchPart struct {
	Kind, Terms         string
	Goal                string
	Seeks, Brings       []string // empty if Terms says the same
	Mode                string
	Everybody, KeepOpen bool
	Reach               reachView // unless it is for everybody
	Until               ending
	Warnings            []string
	SentTo              string // host of the vector service; "" for none
}

type replyPart struct {
	To        Person
	StoryText string
	Message   string
}

type previewView struct {
	Frame
	publicationView
	Heading, Lede string
	Action        string
	Confirm, Step string // label and value of the button
	Hidden        []hiddenField
	Back          string // target of the breadcrumbs
	BackLabel     string
	Follows       []string // consequences, as sentences
}

type hiddenField struct{ Name, Value string }

// hiddenOf returns the fields of a form without its buttons. others replace fields of the same name.
func hiddenOf(form url.Values, others ...string) (out []hiddenField) {
	replaced := newForm(others...).Values
	names := []string{"step", "q"}
	for name := range replaced {
		names = append(names, name)
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if slices.Contains(names, name) {
			continue
		}
		for _, value := range form[name] {
			out = append(out, hiddenField{name, value})
		}
	}
	for i := 0; i+1 < len(others); i += 2 {
		out = append(out, hiddenField{others[i], others[i+1]})
	}
	return out
}

// Consequences of the forms of previews.
var (
	followsMatch = []string{
		"It is compared with what others ask and offer, now and as long as it is open.",
		"When something fits, you and the other person both get a match, without names. Nobody else sees it.",
		"When both of you approve, a conversation with the two of you opens. If one of you declines, nothing more happens.",
		"You can withdraw it at any time.",
	}
	followsStory = []string{
		"The people above see it under Stories, with your name.",
		"Those who answer do so in your direct conversation.",
		"You can pause or end it at any time.",
	}
	followsReply = []string{"The message goes to your direct conversation. Only the two of you see it."}
)

func followsOf(p publicationView) (out []string) {
	if p.Story != nil {
		out = append(out, followsStory...)
	}
	if p.Match != nil {
		out = append(out, followsMatch...)
	}
	return out
}

func (s *site) showPreview(v *visit, here string, view previewView) error {
	if view.Match != nil {
		p := get(v, s.Social.GetPreferences, core.None{})
		if p.NetworkPaused {
			view.Follows = append([]string{"You have paused matching, so it is compared with nothing until you resume it under Settings."},
				view.Follows...)
		}
	}
	v.template = "preview"
	return s.page(v, view.Heading, here, "", &view)
}

type previewer interface{ Bodies() (made, otherwise any) }

func previewOf(out previewer) *social.Preview {
	_, p := out.Bodies()
	return p.(*social.Preview)
}

func (s *site) publication(v *visit, payload jsontext.Value) (view publicationView) {
	var p social.Publication
	v.failed(json.Unmarshal(payload, &p))
	view = publicationView{Details: p.Details, JSON: indented(payload)}
	me, err := s.me(v)
	v.failed(err)
	if p.Story != nil {
		view.Story = &storyPart{Author: Person{ID: me.ID, Name: me.Name, Picture: pictureOf(core.OrZero(me.AvatarURL))}, Text: p.Story.Text,
			Until: s.ending(p.Story.ExpiresAt)}
		view.Story.Reach = s.reachKnown(v, p.Story.Audience)
	}
	if p.QuietSearch == nil {
		return view
	}
	view.Match = &matchPart{SentTo: s.Vectors, Kind: p.Kind, Terms: p.Terms, Goal: other(p.Goal, p.Terms), Seeks: otherThan(p.Seeks, p.Terms),
		Brings: otherThan(p.Brings, p.Terms),
		Mode:   modeText(p.MatchingMode, p.OpenToCollaborators, p.Goal, p.Seeks, p.Brings), KeepOpen: !p.CloseOnConnect,
		Until: s.ending(p.QuietSearch.ExpiresAt), Warnings: tellsWho(p.Terms, me.Name)}
	if view.Match.Everybody = p.QuietSearch.Audience == nil; !view.Match.Everybody {
		view.Match.Reach = s.reachKnown(v, *p.QuietSearch.Audience)
	}
	return view
}

func otherThan(texts []string, terms string) []string {
	if len(texts) == 1 && texts[0] == terms {
		return nil
	}
	return texts
}

func other(text, terms string) string {
	if text == terms {
		return ""
	}
	return text
}

func indented(payload jsontext.Value) string {
	p := payload.Clone()
	if err := p.Indent(); err != nil {
		return string(payload)
	}
	return string(p)
}

// modeText describes the experience mode of an intent; "" for the default.
func modeText(mode string, together bool, goal string, seeks, brings []string) string {
	var lacks []string
	lack := func(missing bool, act string) {
		if missing {
			lacks = append(lacks, act)
		}
	}
	text, otherwise := "", ""
	switch mode {
	case "reciprocal":
		text, otherwise = "Only with someone who also looks for what you bring.", "Nobody can match it yet: "
		lack(len(seeks) == 0, "say what you look for")
		lack(len(brings) == 0, "say what you bring")
	case "shared_goal":
		text, otherwise = "With someone who wants to do the same.", "Nobody who wants to do the same can match it yet: "
		lack(goal == "", "say what it is about")
		lack(!together, "tick “I would also do it together with others”")
	}
	if len(lacks) == 0 {
		return text
	}
	return otherwise + strings.Join(lacks, ", and ") + "."
}

var lasts = map[string]time.Duration{"1d": 24 * time.Hour, "3d": 72 * time.Hour, "7d": 168 * time.Hour, "30d": 720 * time.Hour,
	"90d": 2160 * time.Hour}

// until returns the expiry of a form: the moment in its preview, or the menu's choice from now. It is nil for
// never.
func (s *site) until(v *visit) *store.Time {
	if at, err := store.ParseTime(v.form("expiresAt")); err == nil {
		return &at
	}
	if d := lasts[v.form("until")]; d != 0 {
		return new(store.TimeOf(s.Now().Add(d)))
	}
	return nil
}

const staleText = "The preview can no longer be used: it is older than 10 minutes, was used already, or something has changed since. " +
	"Look at it again, then confirm."

// stale replaces an error about a grant with staleText.
func stale(err error) error {
	if e := core.As(err); err != nil && e.Code == "approval_required" {
		return core.New(core.Conflict, e.Code, staleText)
	}
	return err
}
