package account

import (
	"bytes"
	"io"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store/storetest"
)

// An export has every member, also those that no package writes.
func TestExportOfEmptyMembers(t *testing.T) {
	h := open(t)
	var b bytes.Buffer
	err := h.Export(t.Context(), storetest.Human(h.cast.Ada), ExportIn{Range: "all_time"}, func(string) io.Writer { return &b })
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(b.Bytes(), &members); err != nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	for _, m := range h.exportMembers() {
		if got := string(members[m.name]); got != m.empty {
			t.Errorf("%s is %s, want %s", m.name, got, m.empty)
		}
	}
	for _, name := range []string{"schema", "exportedAt", "range", "user", "messages", "socialPreferences"} {
		if len(members[name]) == 0 {
			t.Errorf("%s is missing", name)
		}
	}
}
