package app_test

import "testing"

// Null is no value of a switch: it is refused, and does not turn it off.
func TestNullSwitches(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	w.ids["$id:group"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"],"title":"Garden","open":true}`, 201, `"open":true`).body)
	w.want("ada", "PATCH", "/api/chat/conversations/$id:group", `{"open":null}`, 400, `"field":"open"`)
	w.want("ben", "GET", "/api/chat/conversations/$id:group", "", 200, `"open":true`)
	w.want("root", "PATCH", "/api/admin/settings", `{"memberInvites":true}`, 200, `"memberInvites":true`)
	w.want("root", "PATCH", "/api/admin/settings", `{"memberInvites":null}`, 400, `"field":"memberInvites"`)
	w.want("root", "GET", "/api/admin/settings", "", 200, `"memberInvites":true`)
}
