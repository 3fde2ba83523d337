package app_test

import (
	"context"
	"fmt"
	"testing"
)

// testInboxWaits decides about what others sent. What arrives meanwhile appears in the open inbox.
func testInboxWaits(t *testing.T, browser context.Context) {
	inWays(t, func(t *testing.T, w way) {
		s := newBrowserServer(t)
		list := s.post("ben", "/api/lists", `{"title":"Jams","visibility":"public-edit","moderated":true}`)
		ben := w.newTab(t, browser, s)
		ben.signIn(s, "ben@example.org")
		ben.open("/inbox")
		ben.shows("All done")
		ben.stays()
		if res := s.json("public", "POST", "/api/lists/"+list+"/items", `{"content":"Quince","reporter":"Bea"}`); res.status != 202 {
			t.Fatalf("%d %s", res.status, res.body)
		}
		s.post("ada", "/api/friends/users/"+s.ids["$id:ben"]+"/request", "")
		if w.scripts {
			ben.shows("Waits on Jams, from Bea", "Quince", "Friend request")
			ben.until(`document.querySelector("#inbox-count").dataset.count === "2"`)
			ben.stayed()
			ben.look(fmt.Sprint("inbox-waits-", w.width))
			ben.keys("?")
			ben.shows("next and previous", "this help")
			ben.keys("jj")
			ben.follow(func() { ben.keys("a") })
		} else {
			ben.open("/inbox")
			ben.send("Approve: Quince")
		}
		ben.shows("Approved. It is at the end of the list.", "would like to be friends")
		ben.send("Accept: Ada")
		ben.shows("You are friends now.", "All done")
		ben.open("/list/" + list)
		ben.shows("Quince")
	})
}
