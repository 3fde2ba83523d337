package media

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Ids of Matroska elements.
const (
	ebmlHeader, ebmlDocType                      = 0x1a45dfa3, 0x4282
	mkvSegment, mkvCluster                       = 0x18538067, 0x1f43b675
	mkvInfo, mkvScale, mkvDuration               = 0x1549a966, 0x2ad7b1, 0x4489
	mkvTracks, mkvTrackEntry, mkvTrackType       = 0x1654ae6b, 0xae, 0x83
	mkvSeekHead, mkvCues, mkvName                = 0x114d9b74, 0x1c53bb6b, 0x536e
	mkvMuxer, mkvWriter                    int64 = 0x4d80, 0x5741
)

func isWebM(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1a, 0x45, 0xdf, 0xa3}) }

// element is an element of a file: its data is n bytes from at on.
type element struct {
	id, start, at, n int64
	open             bool // its size is not known
}

// webmFile is a WebM while it is inspected.
type webmFile struct {
	s            *source
	f            *File
	doc          string
	scale        int64
	length       float64
	audio, video bool
}

// inspectWebM keeps the file and blanks descriptions, dates and attached files.
func inspectWebM(s *source, f *File) error {
	w := &webmFile{s: s, f: f, scale: 1_000_000}
	if err := w.elements(0, s.size, 0, 0); err != nil {
		return err
	}
	if ms := w.length * float64(w.scale) / 1e6; ms > 0 && ms < 24*3600*1000 {
		f.DurationMs = int(ms)
	}
	switch {
	case w.doc != "webm":
		return ErrType
	case w.video:
		f.Type = "video/webm"
	case w.audio:
		f.Type = "audio/webm"
	default:
		return ErrBroken
	}
	return nil
}

// keepsWebM reports whether an element within one with the id parent is needed
// to play the file.
func keepsWebM(parent, id int64) bool {
	switch parent {
	case 0:
		return id == ebmlHeader || id == mkvSegment
	case mkvSegment:
		return id == mkvSeekHead || id == mkvInfo || id == mkvTracks || id == mkvCluster || id == mkvCues
	case mkvInfo:
		return id == mkvScale || id == mkvDuration || id == mkvMuxer || id == mkvWriter
	case mkvTracks:
		return id == mkvTrackEntry
	}
	return id != mkvName
}

// elements handles the elements from at to end, within one with the id parent.
func (w *webmFile) elements(at, end, parent int64, depth int) error {
	for at < end {
		e, err := w.element(at, end)
		if err != nil || w.f.full() {
			return ErrBroken
		}
		switch {
		case !keepsWebM(parent, e.id):
			w.void(e)
		case e.id == ebmlHeader, e.id == mkvSegment, e.id == mkvInfo, e.id == mkvTracks, e.id == mkvTrackEntry:
			if depth > 3 {
				return ErrBroken
			}
			w.f.keep(e.start, e.at-e.start)
			err = w.elements(e.at, e.at+e.n, e.id, depth+1)
		default:
			err = w.value(e)
			w.f.keep(e.start, e.at+e.n-e.start)
		}
		if err != nil {
			return err
		}
		at = e.at + e.n
	}
	return nil
}

// element reads the header of the element at at. One of unknown size takes the
// rest, which ends there: what follows belongs to it or cannot be told apart.
func (w *webmFile) element(at, end int64) (element, error) {
	id, n, err := w.vint(at, true)
	if err != nil {
		return element{}, err
	}
	size, m, err := w.vint(at+n, false)
	if err != nil {
		return element{}, err
	}
	e := element{id: id, start: at, at: at + n + m, n: size}
	if size == 1<<(7*m)-1 {
		e.open, e.n = true, end-e.at
	}
	if e.n < 0 || e.n > end-e.at {
		return element{}, ErrBroken
	}
	return e, nil
}

// vint reads a number of variable length, and returns its length, too.
func (w *webmFile) vint(at int64, marked bool) (v, length int64, err error) {
	b, err := w.s.upTo(at, 8)
	if err != nil || len(b) == 0 || b[0] == 0 {
		return 0, 0, ErrBroken
	}
	length = 1
	for mask := byte(0x80); b[0]&mask == 0; mask >>= 1 {
		length++
	}
	if int64(len(b)) < length || marked && length > 4 {
		return 0, 0, ErrBroken
	}
	v = int64(b[0])
	if !marked {
		v &= 0xff >> length
	}
	for _, c := range b[1:length] {
		v = v<<8 | int64(c)
	}
	return v, length, nil
}

// value reads the elements that describe the file.
func (w *webmFile) value(e element) error {
	switch e.id {
	case ebmlDocType, mkvScale, mkvDuration, mkvTrackType:
	default:
		return nil
	}
	if e.n < 1 || e.n > 8 {
		return ErrBroken
	}
	b, err := w.s.bytes(e.at, int(e.n))
	if err != nil {
		return err
	}
	var v int64
	for _, c := range b {
		v = v<<8 | int64(c)
	}
	switch e.id {
	case ebmlDocType:
		w.doc = string(bytes.TrimRight(b, "\x00"))
	case mkvScale:
		w.scale = v
	case mkvTrackType:
		w.video, w.audio = w.video || v == 1, w.audio || v == 2
	case mkvDuration:
		switch e.n {
		case 4:
			w.length = float64(math.Float32frombits(uint32(v)))
		case 8:
			w.length = math.Float64frombits(uint64(v))
		}
	}
	return nil
}

// void replaces an element by one of the same size without content.
func (w *webmFile) void(e element) {
	const head = 9
	total := e.at + e.n - e.start
	if total < head {
		w.f.add([]byte{0xec, 0x80 | byte(total-2)})
		w.f.blank(total - 2)
		return
	}
	w.f.add(binary.BigEndian.AppendUint64([]byte{0xec}, 1<<56|uint64(total-head)))
	w.f.blank(total - head)
}
