package op

import "hearth/store"

// Rows is implemented by inputs of writes of several rows, each of which counts as what
// is stored beside text.
type Rows interface{ Rows() int }

// storedPerText is how many bytes that an operation adds to the file count as one of
// text.
const storedPerText = 3

// countStored counts what an operation of by has stored beyond what it counted as before,
// even if there is not so much left: then what by stores next has to wait.
func (l *Limits) countStored(by store.Viewer, counted, stored int) {
	more := max(0, stored/storedPerText-counted)
	if more > 0 {
		_ = l.useText(by, more, true)
	}
	if l.Counted != nil {
		l.Counted(counted + more)
	}
}
