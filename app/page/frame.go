package page

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/core"
	"hearth/store"
)

// Frame is what every page needs around its content.
type Frame struct {
	Title    string
	Layout   string  // "" (one column), "narrow" (a single form) or "chat"
	Tab      string  // of the section
	Here     string  // section: "lists", "chat", "asks", "stories", "inbox", "people", "settings", "admin", "feedback", "login"
	Me       *Person // nil for a guest
	Admin    bool
	Site     string // name of the community; "" is hearth
	Look     look
	Security string // address for security reports; "" without one
	Unread   unreadView
	waitingView
	Simple  bool   // the navigation has no asks, offers and Stories
	Path    string // where signing in returns to
	Page    string // address of the page that answers a form
	Done    string
	DoneAct *doneAct // the next step after Done

	Alternates []Alternate // the page in other forms
	About      *aboutView  // nil unless the page is for everybody
	Position   string      // position of the event log when the page was read; "" on pages for all guests
}

// rowsView is a page of nothing but rows.
type rowsView[Row any] struct {
	Frame
	Rows []Row
}

// aboutView is what other servers show of a page that is for everybody.
type aboutView struct{ Title, Text, URL, Picture string }

// about describes a page of everybody. Without a picture of its own it has the picture of the community.
func (s *site) about(f Frame, title, text, path, picture string) *aboutView {
	picture = cmp.Or(picture, f.Look.Picture, "/static/icon.svg")
	return &aboutView{title, cmp.Or(oneLine(text, 200), "On "+cmp.Or(f.Site, "hearth")+"."), s.BaseURL + path, s.BaseURL + picture}
}

// Alternate is another format of the page.
type Alternate struct{ Type, Title, URL string }

// frame returns the frame of a page. here is its section and, after a slash, its tab. Its error is the error of the visit.
func (s *site) frame(v *visit, title, here, layout string) Frame {
	about := s.community(v)
	here, tab, _ := strings.Cut(here, "/")
	f := Frame{Title: title, Here: here, Tab: tab, Layout: layout, Done: doneTexts[v.query("done")], DoneAct: v.doneAct(), Admin: v.by.Admin,
		Site: about.Name, Look: lookOf(about), Security: about.SecurityURL(), Position: v.position, Page: s.pageOf(v)}
	if !v.by.SignedIn() {
		if v.r.Method == http.MethodGet && here != "login" {
			f.Path = v.r.URL.RequestURI()
		}
		return f
	}
	me, err := s.me(v)
	if v.failed(err); err != nil {
		return f
	}
	f.Me, f.Unread = new(face(me.ID, me.Name, core.OrZero(me.AvatarURL))), get(v, s.Chat.UnreadTotal, core.None{})
	waiting := get(v, s.Social.GetWaiting, core.None{})
	f.waitingView, f.Simple = s.inboxCountOf(waiting), waiting.Simple
	return f
}

// me returns the signed-in person's account. It is read once.
func (s *site) me(v *visit) (account.Me, error) {
	if v.me == nil {
		me, err := s.Account.GetMe.Call(v.ctx(), v.by, core.None{})
		if err != nil {
			return me, err
		}
		v.me = &me
	}
	return *v.me, nil
}

type look struct {
	Picture string
	Theme   string // path of its style sheet; "" is the default
	Dates   string // language of dates; "" is the reader's
}

func lookOf(c admin.Community) look {
	l := look{Picture: pictureOf(core.OrZero(c.PictureURL))}
	if c.Accent != nil {
		l.Theme = "/theme/" + strings.TrimPrefix(*c.Accent, "#") + ".css"
	}
	if c.DateLanguage != "auto" {
		l.Dates = c.DateLanguage
	}
	return l
}

// community returns the public settings, read once. If that fails, it returns empty settings.
func (s *site) community(v *visit) admin.Community {
	if v.about == nil {
		c, err := s.Admin.GetCommunity.Call(v.ctx(), v.by, core.None{})
		if err != nil {
			c = admin.Community{Name: "hearth", DateLanguage: "auto", Signup: "invite"}
		}
		v.about = &c
	}
	return *v.about
}

// doneTexts has a sentence for each word of a redirect. Fixed sentences prevent links that put other text on
// the page.
var doneTexts = map[string]string{
	"saved":          "Saved.",
	"commented":      "Comment added.",
	"imported":       "Imported.",
	"duplicate":      "Added. An item of this list has the same link already.",
	"handed-over":    "Handed over. You are an editor of the list now.",
	"approved-item":  "Approved. It is at the end of the list.",
	"rejected-item":  "Rejected.",
	"picture":        "Picture saved.",
	"no-picture":     "Picture removed.",
	"status":         "Status saved.",
	"cleared":        "Status cleared.",
	"availability":   "Availability saved.",
	"ended":          "That device is signed out.",
	"revoked":        "Key revoked. It no longer works.",
	"revoked-link":   "Invite link revoked. It no longer works.",
	"enabled":        "Enabled.",
	"disabled":       "Disabled.",
	"tested":         "A test is on its way. Reload the page to see how it went.",
	"deleted":        "Deleted.",
	"left":           "You left the group.",
	"added":          "Added.",
	"removed":        "Removed.",
	"moved":          "Moved.",
	"shared":         "Shared.",
	"muted":          "Muted.",
	"unread":         "Marked as unread.",
	"unmuted":        "Unmuted.",
	"asked":          "Friend request sent.",
	"agents-asked":   "The agents are asked. Their answers appear here.",
	"friends":        "You are friends now.",
	"declined":       "Request declined.",
	"cancelled":      "Request cancelled.",
	"unfriended":     "You are no longer friends.",
	"blocked":        "Blocked. You no longer see each other.",
	"unblocked":      "Unblocked.",
	"reported":       "Thank you. The administrators have your report.",
	"rotated":        "Your card has a new link. The old one no longer works.",
	"unlist":         "You left the list.",
	"out":            "You are signed out.",
	"in":             "You are signed in.",
	"suspended":      "Suspended.",
	"restored":       "Suspension lifted.",
	"promoted":       "Made administrator.",
	"demoted":        "No longer an administrator.",
	"decided":        "Decided.",
	"finished":       "Marked as done.",
	"feedback":       "Thank you. The administrators have your feedback.",
	"published-ask":  "Published. When something fits, you get a match.",
	"published-wait": "Published. Matching is paused: it is compared with nothing until you resume it.",
	"story-shown":    "Published. The people you chose can see it.",
	"undone":         "Undone.",
	"ended-story":    "Ended. Nobody sees it any more.",
	"ended-search":   "Ended. Nobody sees it any more. Its search for a match goes on: see Asks & offers.",
	"withdrawn":      "Withdrawn.",
	"approved":       "Until both of you say hello, they see your sentence, and neither your name nor your answer.",
	"match-declined": "The match is closed, and nobody is told why.",
	"match-closed":   "This match is closed.",
	"connected":      "You are connected. A conversation with the two of you is in Chat.",
	"draft":          "Draft saved. Only you can see it.",
	"kept": "Draft saved. Only you can see it. When you publish it, you choose again who can be matched, until when, and what " +
		"happens after a match.",
	"dismissed":      "Draft dismissed.",
	"restored-draft": "The draft is back.",
	"paused":         "Paused. Nobody sees it now.",
	"paused-search":  "Paused. Nobody sees it now. Its search for a match goes on: see Asks & offers.",
	"resumed":        "It can be seen again.",
	"extended-wait":  "It stays for another week. It is paused: nobody sees it until you show it again.",
	"resumed-ask":    "Resumed. It is compared with what others ask and offer again.",
	"extended":       "It stays for another week.",
	"refused":        "Refused. Nothing was done.",
	"request-done":   "Approved. It is published.",
	"request-sent":   "Approved. It is sent.",
	"seen":           "Marked as seen.",
	"claimed":        "Your server is ready.",
	"joined":         "You have joined. The picture could not be used: choose a JPEG, PNG, GIF or WebP.",
	"mailed":         "We sent a link and a code to your address. Open the link in this browser, or enter the code in the settings.",
	"proven":         "Address confirmed. You can sign in with it on every device.",
	"set-up":         "Your community is set up.",
}

// doneAct is an offer after an action: a link, or a form of one button, such as an undo.
type doneAct struct {
	Label, URL string
	Post       bool
	Fields     url.Values // hidden
}

// doneAct returns the offer for the word and the "at" of a redirect, or nil.
func (v *visit) doneAct() *doneAct {
	at := v.query("at")
	if !store.ValidID(at) {
		return nil
	}
	undo := func(url string, fields ...string) *doneAct {
		if v.r.URL.Path == "/inbox" {
			fields = append(fields, "back", "inbox")
		}
		return &doneAct{Label: "Undo", URL: url, Post: true, Fields: newForm(fields...).Values}
	}
	switch v.query("done") {
	case "dismissed":
		return undo("/drafts/" + at + "/restore")
	case "paused", "paused-search":
		return undo("/stories/"+at, "act", "resume")
	case "resumed":
		return undo("/stories/"+at, "act", "pause")
	case "extended", "extended-wait":
		if was, err := store.ParseTime(v.query("was")); err == nil {
			return undo("/stories/"+at, "act", "until", "expiresAt", was.String())
		}
	case "withdrawn":
		return &doneAct{Label: "Publish it again", URL: "/asks/new?again=" + at}
	case "connected", "request-sent":
		return &doneAct{Label: "Open the conversation", URL: "/chat/" + at}
	}
	return nil
}

var rowID = regexp.MustCompile(`^(inbox|i-[0-9a-z_-]{1,90})$`)

// backTo returns path with a word for the action and the id of its object. A form of the inbox
// returns to the next item of the inbox.
func (v *visit) backTo(path, done, at string) string {
	inbox := v.form("back") == "inbox"
	if inbox {
		path = "/inbox"
	}
	path += "?done=" + done
	if at != "" {
		path += "&at=" + at
	}
	if next := v.form("next"); inbox && rowID.MatchString(next) {
		path += "#" + next
	}
	return path
}
