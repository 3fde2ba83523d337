package live

import "testing"

// Each line of the data is a field of its own, wherever a line break is in it: none
// can begin another field or another event.
func TestLinesOfAnEvent(t *testing.T) {
	for data, want := range map[string]string{
		"":                "data: \n\n",
		"{}":              "data: {}\n\n",
		"\nid: 1":         "data: id: 1\n\n",
		"\rid: 1":         "data: id: 1\n\n",
		"{\nid: 1":        "data: {\ndata: id: 1\n\n",
		"{\rid: 1":        "data: {\ndata: id: 1\n\n",
		"{\r\n\r\nid: 1":  "data: {\ndata: id: 1\n\n",
		"{\n}\r":          "data: {\ndata: }\n\n",
		"{}\n":            "data: {}\n\n",
		"{}\n\nevent: x ": "data: {}\ndata: event: x \n\n",
	} {
		if got := string(appendEvent(nil, "note", []byte(data))); got != "event: note\n"+want {
			t.Errorf("%q is sent as %q, want %q", data, got, "event: note\n"+want)
		}
	}
}
