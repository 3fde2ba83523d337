package chat_test

import (
	"strings"
	"testing"

	"hearth/store"
)

// What is rendered once for all participants shows the address of none of them, not
// even to the one whom it is about.
func TestParticipantEventsMaskAddresses(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	_, err := w.addTo(w.Ada, c.ID, w.Cleo)
	w.ok(err)
	_, want, _ := w.render(w.Ada)
	for _, u := range []store.User{w.Ada, w.Ben, w.Cleo} {
		name, data, ok := w.render(u)
		if name != "participant.updated" || !ok || data != want {
			t.Errorf("%s to %s: %s, want %s", name, u.Name, data, want)
		}
		if strings.Contains(data, "example.org") || !strings.Contains(data, `"email":"`+w.Cleo.ID+`@users.invalid"`) {
			t.Errorf("to %s: %s", u.Name, data)
		}
	}
}
