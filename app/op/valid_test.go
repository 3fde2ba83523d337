package op

import (
	"context"
	"errors"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// A credential is judged again when the operation begins. One that has ended counts as
// none where none is needed; any other error is the answer. Who has none is not judged.
func TestCredentialIsJudgedWhenTheOperationBegins(t *testing.T) {
	type judgedKey struct{}
	broken := errors.New("the disk is broken")
	signedIn := store.Viewer{Kind: store.Human, UserID: "u", SessionID: "s", Device: "a browser", IP: "192.0.2.1"}
	stranger := store.Viewer{Device: "a browser", IP: "192.0.2.1"}
	for _, tc := range []struct {
		guard  Guard
		by     store.Viewer
		valid  error
		want   string
		as     store.Viewer
		judged bool
	}{
		{Member, signedIn, nil, "", signedIn, true},
		{Member, signedIn, core.ErrUnauthenticated, "unauthenticated", store.Viewer{}, false},
		{Member, signedIn, broken, "internal", store.Viewer{}, false},
		{Public, signedIn, nil, "", signedIn, true},
		{Public, signedIn, core.ErrUnauthenticated, "", stranger, false},
		{Public, signedIn, broken, "internal", store.Viewer{}, false},
		{Public, stranger, core.ErrUnauthenticated, "", stranger, false},
	} {
		var as store.Viewer
		judged := false
		limits := NewLimits(time.Now, true)
		limits.Valid = func(ctx context.Context, by store.Viewer) (context.Context, error) {
			return context.WithValue(ctx, judgedKey{}, by.UserID), tc.valid
		}
		f := New(limits, func(ctx context.Context, by store.Viewer, _ struct{}) (string, error) {
			as, judged = by, ctx.Value(judgedKey{}) == "u"
			return "done", nil
		}, Spec{Summary: "Do", Guard: tc.guard})
		if _, err := f.Call(t.Context(), tc.by, struct{}{}); code(err) != tc.want || as != tc.as || judged != tc.judged {
			t.Errorf("guard %v, %v by %q: %v as %+v, judged %v", tc.guard, tc.valid, tc.by.UserID, err, as, judged)
		}
	}
}
