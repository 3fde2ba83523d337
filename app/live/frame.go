package live

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"hearth/app/core"
)

// frame is one event as it goes over the wire, shared by all who get it.
type frame struct {
	id   int64 // 0 for what is not kept
	name string
	wire []byte
}

func newFrame(id int64, name string, data []byte) *frame {
	b := make([]byte, 0, len(data)+len(name)+48)
	if id != 0 {
		b = append(strconv.AppendInt(append(b, "id: "...), id, 10), '\n')
	}
	b = append(append(append(b, "event: "...), name...), '\n')
	// A line break inside data would end it: each line is a field of its own.
	for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		b = append(append(append(b, "data: "...), line...), '\n')
	}
	return &frame{id: id, name: name, wire: append(b, '\n')}
}

// NoResume is the position of a client that begins anew.
const NoResume int64 = -1

// ResumeAfter returns the number of the last event the client has seen, from
// the Last-Event-ID header or else the lastEventId parameter, and NoResume if
// it names none. Anything but a number is Invalid.
func ResumeAfter(r *http.Request) (int64, error) {
	s := r.Header.Get("Last-Event-ID")
	if s == "" {
		s = r.URL.Query().Get("lastEventId")
	}
	if s == "" {
		return NoResume, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || strings.TrimLeft(s, "0123456789") != "" {
		e := core.InvalidField("lastEventId", "Last-Event-ID must be the number of an event of this stream. Leave it out to begin anew.")
		e.Code = "bad_event_id"
		return 0, e
	}
	return n, nil
}
