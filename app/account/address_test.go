package account

import (
	"context"
	"testing"

	"hearth/store"
)

// Who registers an address that folds to that of somebody else keeps nobody out: the
// account that has not proven it loses it to the one who proves theirs. Commands are
// about the account of exactly the mailbox.
func TestFoldedAddressOfAStranger(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"link", "bridge", "operator's link"} {
		h := open(t)
		theirs := h.as("bo\u017fs@example.org")
		h.change("boss@example.org", func(u *store.User, _ store.Time) { u.VerifiedAt = 0 })
		for name, f := range map[string]func(context.Context, string) error{
			"promote": func(ctx context.Context, email string) error { return h.Act(ctx, email, Promote) },
			"erase":   h.Erase,
			"link":    func(ctx context.Context, email string) error { _, err := h.LinkFor(ctx, email, false); return err },
		} {
			wantCode(t, name, f(t.Context(), "boss@example.org"), "no_account")
		}
		wantCode(t, "promote the stranger", h.Act(t.Context(), "bo\u017fs@example.org", Promote), "unverified")
		switch by {
		case "link":
			h.token("boss@example.org")
		case "bridge":
			if _, err := h.BridgeExchange.Call(t.Context(), store.Viewer{Kind: store.Bridge},
				BridgeExchangeRequest{App: "social", Email: "boss@example.org"}); err != nil {
				t.Fatal(err)
			}
		case "operator's link":
			if _, err := h.LinkFor(t.Context(), "boss@example.org", true); err != nil {
				t.Fatal(err)
			}
		}
		u := h.user("boss@example.org")
		if u.ID == theirs.UserID || u.Email != "boss@example.org" || (u.VerifiedAt == 0) != (by == "operator's link") {
			t.Errorf("by %s: the account is %+v", by, u)
		}
		if _, err := h.verify(VerifyMagicLinkIn{Token: h.ask("bo\u017fs@example.org").token}); by != "operator's link" {
			wantCode(t, "a proof of the other mailbox", err, "invalid_link")
		}
	}
}
