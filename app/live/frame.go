package live

import "bytes"

// frame is one event as it is sent, shared by all who receive it.
type frame struct {
	id       int64 // 0 for an ephemeral event
	presence bool  // it is who watches a list, complete: a later one replaces it
	wire     []byte
}

// newFrame returns an ephemeral event.
func newFrame(name string, data []byte) *frame {
	return &frame{wire: appendEvent(nil, name, data)}
}

// frame returns a stored event, which clients can resume after.
func (ids eventIDs) frame(id int64, name string, data []byte) *frame {
	return &frame{id: id, wire: ids.appendEvent(make([]byte, 0, len(data)+len(name)+96), id, name, data)}
}

func (ids eventIDs) appendEvent(b []byte, id int64, name string, data []byte) []byte {
	b = append(append(append(b, "id: "...), ids.Seal(id)...), '\n')
	return appendEvent(b, name, data)
}

func appendEvent(b []byte, name string, data []byte) []byte {
	b = append(append(append(b, "event: "...), name...), '\n')
	// A line break inside data would end it: each line is a field of its own.
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 {
		return append(append(append(b, "data: "...), data...), "\n\n"...)
	}
	for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		b = append(append(append(b, "data: "...), line...), '\n')
	}
	return append(b, '\n')
}
