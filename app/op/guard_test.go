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
		{"admin", store.Viewer{Kind: store.Human, UserID: "u", Admin: true}},
		{"operator", store.Viewer{Kind: store.Operator}},
	}
	const no, scope, human, ronly, pub, adm = "unauthenticated", "missing_scope", "human_only", "read_only_key", "public_key", "admin_only"
	for _, tc := range []struct {
		guard Guard
		hints Hints
		want  [11]string // in the order of callers; "" passes
	}{
		{closed, ReadOnly, [11]string{no, no, no, no, no, no, no, no, no, no, no}},
		{Public, 0, [11]string{}},
		{Member, ReadOnly, [11]string{no, "", "", "", "", scope, no, no, no, "", no}},
		{Member, ReadOnly, [11]string{no, "", "", "", "", scope, no, no, no, "", no}},
		{Member, 0, [11]string{no, "", "", "", scope, "", no, no, no, "", no}},
		{HumanOnly, ReadOnly, [11]string{no, "", human, human, human, human, no, no, no, "", no}},
		{AdminOnly, ReadOnly, [11]string{no, adm, human, human, human, human, no, no, no, "", ""}},
		{AdminOnly, 0, [11]string{no, adm, human, human, human, human, no, no, no, "", ""}},
		{ListRead, ReadOnly, [11]string{"", "", "", "", "", scope, "", "", no, "", no}},
		{ListOwnRead, ReadOnly, [11]string{no, "", "", "", "", scope, "", pub, no, "", no}},
		{ListWrite, 0, [11]string{no, "", "", "", scope, "", ronly, pub, no, "", no}},
		{ListAdd, 0, [11]string{no, "", "", "", scope, "", ronly, "", no, "", no}},
		{ListToolWrite, 0, [11]string{no, "", "", "", scope, "", "", pub, no, "", no}},
		{Bridge, 0, [11]string{no, no, no, no, no, no, no, no, "", no, no}},
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
