package page

import (
	"time"

	"hearth/app/core"
	"hearth/app/people"
)

func peopleSamples(m map[string]any, me func(title, here, layout string) Frame, guest func(string) Frame, ada, bea, cem, bot Person) {
	row := func(p Person, state, back string) friendView { return friendView{Person: p, State: state, Back: back} }
	declined := failed(nil, core.TooManyAfter(time.Hour, "declined_before",
		"This person declined your request. You can ask them again seven days later."))
	token, link := "q3JxVt0nR5yKzW8bMd1sXg", "https://hearth.example/c/q3JxVt0nR5yKzW8bMd1sXg"
	m["people"] = peopleView{Frame: me("People", "people", ""), Query: "a", Found: []friendView{row(bea, "", ""), row(bot, "", "")},
		Friends: []friendView{row(bea, "friends", "people")}, Everybody: []friendView{row(bea, "", "")}, More: "/people?cursor=x",
		Incoming: []friendView{row(cem, "incoming", "people")}, Outgoing: []friendView{row(bot, "outgoing", "people")}}
	m["person"] = personView{Frame: me(bea.Name, "people", "narrow"), friendView: row(bea, "incoming", ""), CanAsk: true, Form: declined}
	m["report"] = reportFormView{Frame: me("Report", "people", "narrow"), Type: "message", ID: sampleID(51), In: sampleID(40), Person: cem,
		Content: "Buy my watches", Back: "/chat/x#m-y",
		Reason: Field{ID: "reason", Name: "reason", Label: "Reason", Value: "spam", Options: reasons()},
		Form: failed(map[string][]string{"reason": {"spam"}, "block": {"yes"}},
			core.InvalidField("freeform", "freeform must have at most 2000 characters."), "freeform")}
	m["card"] = cardView{Frame: guest("Ada Okafor"), Person: Person{Name: ada.Name, Status: ada.Status}, Headline: "Bread, boats and Bach",
		Token: token}
	m["settings_card"] = cardSettingsView{Frame: me("Add-me card", "settings/card", ""),
		Card: people.OwnCard{Enabled: true, Token: &token, Link: &link},
		Form: newForm("headline", "Bread, boats and Bach", "enabled", "yes")}
	m["settings_blocks"] = rowsView[people.Block]{Frame: me("Blocked people", "settings/blocks", ""),
		Rows: []people.Block{{User: core.PublicUser{ID: sampleID(5), Name: "Spam Bot", IsBot: true}, BlockedAt: sampleTime(0)}}}
}
