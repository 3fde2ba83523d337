package op

import (
	"testing"

	"hearth/app/core"
	"hearth/store"
)

func TestGuards(t *testing.T) {
	callers := []struct {
		name string
		v    store.Viewer
	}{
		{"anonymous", store.Viewer{}},
		{"human", store.Viewer{Kind: store.Human, UserID: "u"}},
		{"embedded", store.Viewer{Kind: store.Embedded, UserID: "u"}},
		{"agent", store.Viewer{Kind: store.Agent, UserID: "u", CanRead: true, CanWrite: true}},
		{"reader", store.Viewer{Kind: store.Agent, UserID: "u", CanRead: true}},
		{"writer", store.Viewer{Kind: store.Agent, UserID: "u", CanWrite: true}},
		{"listkey", store.Viewer{Kind: store.ListKey, UserID: "u"}},
		{"public", store.Viewer{Kind: store.PublicKey}},
		{"bridge", store.Viewer{Kind: store.Bridge}},
	}
	const no, scope, human, ronly, pub = "unauthenticated", "missing_scope", "human_only", "read_only_key", "public_key"
	for _, tc := range []struct {
		guard Guard
		hints Hints
		want  [9]string // in the order of callers; "" passes
	}{
		{closed, ReadOnly, [9]string{no, no, no, no, no, no, no, no, no}},
		{Public, 0, [9]string{}},
		{Member, ReadOnly, [9]string{no, "", "", "", "", scope, no, no, no}},
		{Member, ReadOnly, [9]string{no, "", "", "", "", scope, no, no, no}},
		{Member, 0, [9]string{no, "", "", "", scope, "", no, no, no}},
		{HumanOnly, ReadOnly, [9]string{no, "", human, human, human, human, no, no, no}},
		{ListRead, ReadOnly, [9]string{"", "", "", "", "", scope, "", "", no}},
		{ListOwnRead, ReadOnly, [9]string{no, "", "", "", "", scope, "", pub, no}},
		{ListWrite, 0, [9]string{no, "", "", "", scope, "", ronly, pub, no}},
		{ListAdd, 0, [9]string{no, "", "", "", scope, "", ronly, "", no}},
		{Bridge, 0, [9]string{no, no, no, no, no, no, no, no, ""}},
	} {
		for i, c := range callers {
			err := tc.guard.Check(c.v, tc.hints)
			got := ""
			if err != nil {
				got = core.As(err).Code
			}
			if got != tc.want[i] {
				t.Errorf("guard %d, hints %d by %s: got %q, want %q", tc.guard, tc.hints, c.name, got, tc.want[i])
			}
		}
	}
}
