package live

import "bytes"

// frame is one event as it goes over the wire, shared by all who get it.
type frame struct {
	id   int64 // 0 for what is not kept
	name string
	wire []byte
}

// newFrame is an event that is not kept.
func newFrame(name string, data []byte) *frame {
	return &frame{name: name, wire: appendEvent(nil, name, data)}
}

// keptFrame is an event that one can resume after.
func (n numbers) keptFrame(id int64, name string, data []byte) *frame {
	wire := append(append(append(make([]byte, 0, len(data)+len(name)+96), "id: "...), n.Seal(id)...), '\n')
	return &frame{id: id, name: name, wire: appendEvent(wire, name, data)}
}

func appendEvent(b []byte, name string, data []byte) []byte {
	b = append(append(append(b, "event: "...), name...), '\n')
	// A line break inside data would end it: each line is a field of its own.
	for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		b = append(append(append(b, "data: "...), line...), '\n')
	}
	return append(b, '\n')
}
