package match

import (
	"encoding/binary"
	"math"
)

// Encode returns what Compare reads of a prepared intent, to be stored: reading
// it is much less work than preparing the intent again. It changes with
// KeysVersion.
func (p *Prepared) Encode() []byte {
	e := encoder{KeysVersion}
	e.flags(p.reciprocal, p.goal != nil)
	e.statements(p.seeks)
	e.statements(p.brings)
	if p.goal != nil {
		e.string(p.goal.text)
		e.statement(p.goal)
	}
	return e
}

// Decodes reports whether this version encoded data.
func Decodes(data []byte) bool { return len(data) > 0 && data[0] == KeysVersion }

// Decode returns a prepared intent that Compare takes for the encoded one. It
// reports false for what another version encoded, or nothing did. The result has
// no Keys.
func Decode(data []byte) (p *Prepared, ok bool) {
	if !Decodes(data) {
		return nil, false
	}
	d := decoder{data: data[1:]}
	p = &Prepared{}
	var goal bool
	d.flags(&p.reciprocal, &goal)
	p.seeks, p.brings = d.statements(), d.statements()
	if goal {
		text := d.string()
		p.goal = new(d.statement())
		p.goal.text = text
	}
	return p, !d.broken && len(d.data) == 0
}

type encoder []byte

func (e *encoder) byte(b byte)     { *e = append(*e, b) }
func (e *encoder) number(n uint64) { *e = binary.AppendUvarint(*e, n) }

func (e *encoder) float(x float64) {
	*e = binary.LittleEndian.AppendUint64(*e, math.Float64bits(x))
}

func (e *encoder) string(s string) {
	e.number(uint64(len(s)))
	*e = append(*e, s...)
}

func (e *encoder) strings(list []string) {
	e.number(uint64(len(list)))
	for _, s := range list {
		e.string(s)
	}
}

// flags encodes up to eight bits.
func (e *encoder) flags(list ...bool) {
	bits := byte(0)
	for i, f := range list {
		if f {
			bits |= 1 << i
		}
	}
	e.byte(bits)
}

func (e *encoder) statements(list []statement) {
	e.number(uint64(len(list)))
	for i := range list {
		e.statement(&list[i])
	}
}

func (e *encoder) statement(s *statement) {
	for _, list := range [][]unit{s.units, s.plain, s.negated} {
		e.number(uint64(len(list)))
		for i := range list {
			e.unit(&list[i])
		}
	}
	e.number(uint64(s.lang + 1))
	for _, bits := range s.times.scale {
		e.number(uint64(bits))
	}
	e.number(s.times.dates)
	e.flags(s.times.either)
	e.strings(s.places)
	e.strings(s.languages)
	e.string(s.room)
	e.byte(byte(s.ways))
	e.byte(byte(s.excluded))
	e.number(uint64(s.fit[0]))
	e.number(uint64(s.fit[1]))
	e.float(s.total)
}

func (e *encoder) unit(u *unit) {
	e.string(u.text)
	if u.stem == u.text {
		e.string("")
	} else {
		e.string(u.stem)
	}
	e.byte(u.n | u.sure<<4)
	for _, w := range u.meanings() {
		e.number(uint64(w))
	}
	e.byte(byte(u.kind) | byte(u.frame)<<4)
	e.byte(u.class)
	e.flags(u.head, u.first, u.person, u.place, u.size, u.verb, u.generic, u.runes != nil)
	e.byte(u.age)
	e.string(u.number)
	e.float(u.weight)
}

// decoder reads what an encoder wrote. After a failure it is broken and returns
// zeros.
type decoder struct {
	data   []byte
	broken bool
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.data)) {
		d.data, d.broken = nil, true
		return nil
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.data, d.broken = nil, true
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) float() float64 {
	if b := d.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (d *decoder) string() string { return string(d.take(d.number())) }

// length reads a length, which cannot be more than what is left.
func (d *decoder) length() int {
	n := d.number()
	if n > uint64(len(d.data)) {
		d.data, d.broken = nil, true
		return 0
	}
	return int(n)
}

func (d *decoder) strings() (out []string) {
	for range d.length() {
		out = append(out, d.string())
	}
	return out
}

func (d *decoder) flags(list ...*bool) {
	bits := d.byte()
	for i, f := range list {
		*f = bits>>i&1 == 1
	}
}

func (d *decoder) statements() []statement {
	n := d.length()
	if n == 0 {
		return nil
	}
	out := make([]statement, n)
	for i := range out {
		out[i] = d.statement()
	}
	return out
}

func (d *decoder) statement() (s statement) {
	for _, list := range []*[]unit{&s.units, &s.plain, &s.negated} {
		if n := d.length(); n > 0 {
			*list = make([]unit, n)
			for i := range *list {
				d.unit(&(*list)[i])
			}
		}
	}
	if len(s.units) > maxUnits {
		d.broken = true
		return statement{}
	}
	s.lang = int(d.number()) - 1
	for i := range s.times.scale {
		s.times.scale[i] = uint16(d.number())
	}
	s.times.dates = d.number()
	d.flags(&s.times.either)
	s.places, s.languages, s.room = d.strings(), d.strings(), d.string()
	s.ways, s.excluded = ways(d.byte()), ways(d.byte())
	s.fit = sizeRange{uint16(d.number()), uint16(d.number())}
	s.total = d.float()
	s.vector = s.sum()
	return s
}

func (d *decoder) unit(u *unit) {
	u.text = d.string()
	if u.stem = d.string(); u.stem == "" {
		u.stem = u.text
	}
	counts := d.byte()
	u.n, u.sure = min(counts&0xf, uint8(len(u.words))), counts>>4
	for i := range u.n {
		if u.words[i] = uint16(d.number()); int(u.words[i]) >= len(knowledge().pos) {
			u.words[i], d.broken = 0, true
		}
	}
	kinds := d.byte()
	u.kind, u.frame, u.class = kind(kinds&0xf), frame(kinds>>4), d.byte()
	var runes bool
	d.flags(&u.head, &u.first, &u.person, &u.place, &u.size, &u.verb, &u.generic, &runes)
	if runes {
		u.runes = []rune(u.text)
	}
	u.age, u.number, u.weight = d.byte(), d.string(), d.float()
}
