package app_test

import (
	"fmt"
	"testing"

	"hearth/store"
)

// A message can be sent with an id of the client's, and one that is in use is
// refused. That tells who guesses ids nothing: a guess hits one of 2^62 at best, each
// costs a message of the rate of messages, and a hit is answered alike whatever the
// other message is.
func TestIDInUseTellsNothing(t *testing.T) {
	w := newLimitedWorld(t)
	w.ids["$id:ada"], w.ids["$id:ben"], w.ids["$id:cleo"] = w.cast.Ada.ID, w.cast.Ben.ID, w.cast.Cleo.ID
	w.capture("ada", `POST /api/chat/conversations {"participantIds":["$id:ben"],"type":"group"}`, "theirs")
	w.capture("stranger", `POST /api/chat/conversations {"participantIds":["$id:cleo"],"type":"group"}`, "mine")
	for name, content := range map[string]string{"message": "theirs", "deleted": "gone"} {
		w.capture("ada", `POST /api/chat/conversations/$id:theirs/messages {"content":"`+w.plant(content, "ada", "ben")+`"}`, name)
	}
	w.want("ada", "DELETE", "/api/chat/messages/$id:deleted", "", 200, "")
	w.capture("stranger", `POST /api/chat/conversations/$id:mine/messages {"content":"mine"}`, "own")

	const guess = `POST /api/chat/conversations/$id:mine/messages {"content":"x","id":"%s"}`
	own := w.request("stranger", fmt.Sprintf(guess, "$id:own"))
	for _, id := range []string{"$id:message", "$id:deleted"} {
		before := w.state()
		if res := w.request("stranger", fmt.Sprintf(guess, id)); res.status != 409 || sameResponse(res) != sameResponse(own) {
			t.Errorf("the id of a message elsewhere: %s\nand that of an own one: %s", res.raw, own.raw)
		}
		if w.state() != before {
			t.Error("a guess changed the database")
		}
	}
	for w.request("stranger", fmt.Sprintf(guess, store.NewID())).status == 201 {
	}
	w.limitReached("stranger", fmt.Sprintf(guess, "$id:message"), 429, "too_many_requests")
	w.turnClock("500ms")
	w.limitReached("stranger", fmt.Sprintf(guess, "$id:message"), 409, "id_in_use")
	w.limitReached("stranger", fmt.Sprintf(guess, "$id:message"), 429, "too_many_requests")
}
