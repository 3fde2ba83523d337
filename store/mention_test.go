package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// What of a text names members. Of the names between < and > in the text, without
// those signs, each is that of one member.
func TestMentionsIn(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	cast := storetest.People(t, db)
	names := []string{"Tomáš Novák", "Kim", "Kim Lee", "渡辺健二", "Анна Каренина", "Jo-Ann O'Neil", "J. R. Smith",
		"Łukasz", "ليلى", "Under_score", "Ada 🌸 Byron", "MÜLLER, Jörg", "Jose\u0301"}
	var conversation string
	err := db.Write(context.Background(), func(tx *store.Tx) error {
		var others []string
		for i, name := range append(names, "Outsider") {
			u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("m%d@example.org", i), Name: name, SignupProvider: "test"})
			if err != nil {
				return err
			}
			if name != "Outsider" {
				others = append(others, u.ID)
			}
		}
		var err error
		conversation, err = tx.InsertGroup(cast.Ada.ID, others, "Names")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"<@Tomáš Novák> hello", "<@tomas novak>, hello", "<@TOMÁŠ  NOVÁK>", "(<@Kim>) and <@Kim Lee>!", "<@Kim>, Lee is here",
		"<@kim lee>'s", "<@Kim>.",
		"<@渡辺健二>さん、こんにちは", "こんにちは<@渡辺健二>", "<@анна каренина>",
		"<@Jo-Ann O’Neil> and <@jo ann o neil>", "<@J. R. Smith> or <@j r smith>",
		"<@lukasz>", "مرحبا <@ليلى>", "<@Under_score>_ and _<@Kim>_ and **<@Kim>**", "<@Ada 🌸 Byron>",
		"<@müller, jörg> <@muller jorg>",
		"\n<@Kim>\n<@Kim>", "well...<@Kim>", "…<@Kim>…", "<@Kim>-", "<@Kim>🌿",
		"<@Ada>", // oneself
		"no mention: kim@Kim.example, a.b+kim@Kim, kim_@Kim, @Kim@example.org, https://example.org/@Kim, @@Kim, \\@Kim, @Kimberly, @Kim_x, " +
			"@Kim-Ann, @ Kim, @Novák, @Tomáš, @Tomáš\nNovák, @Outsider, @渡辺, @",
		"<@Jose\u0301> <@José> @Jose\u0301ph <@Jose\u0301>.",
		"`@Kim` and ``@Kim ` @Kim`` <@Kim>", "`@Kim`<@Kim>", "`a` <@Kim> `b` <@Kim>", "`` ` `` <@Kim> ` <@Kim>", "`` ` ` @Kim `` <@Kim> ` <@Kim>",
		"```\n@Kim\n``` <@Kim> `", "@Ben is no member",
		strings.Repeat("@nobody ", 59) + "<@Kim> @Kim", strings.Repeat("@ ", 60) + "<@Kim>",
		strings.Repeat("<@Kim> ", 50) + "@Kim @Kim", strings.Repeat("@", 20000), strings.Repeat(" @Ki", 5000), strings.Repeat("@渡", 9000),
	} {
		content, want := strings.NewReplacer("<", "", ">", "").Replace(text), text
		err := db.Read(context.Background(), func(r *store.Reader) error {
			found, err := r.MentionsIn(storetest.Human(cast.Ada), conversation, content)
			got, at := "", 0
			for _, m := range found {
				got += content[at:m.Start] + "<" + content[m.Start:m.Start+m.Size] + ">"
				at = m.Start + m.Size
			}
			if got += content[at:]; got != want {
				t.Errorf("got  %.300q\nwant %.300q", got, want)
			}
			if err != nil {
				return err
			}
			if none, err := r.MentionsIn(storetest.Human(cast.Ben), conversation, content); len(none) > 0 || err != nil {
				t.Errorf("a stranger finds %v, %v", none, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
