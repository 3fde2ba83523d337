package op

import "hearth/store"

// Rows is implemented by inputs of writes of several rows, each of which counts as what
// is stored beside text.
type Rows interface{ Rows() int }

// Protective is implemented by inputs of writes that protect somebody with some values
// only, such as the one that opens or closes a group, or that do not although they are
// Destructive. It decides instead of Spec.Protects. An input that also changes what does
// not protect does not: else each call that adds such a value would be let through.
type Protective interface{ Protects() bool }

// protects reports whether a call without text is made even if its caller has stored too
// much.
func (c *call) protects(in any) bool {
	if p, ok := in.(Protective); ok {
		return p.Protects()
	}
	return c.info.Protects || c.info.Hints.Has(Destructive) || c.info.Guard == AdminOnly
}

// counts reports whether calls count as what they store.
func (c *call) counts() bool {
	return c.limits != nil && c.limits.general && !c.info.Hints.Has(ReadOnly)
}

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
