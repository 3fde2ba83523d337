// Package media inspects uploaded files. It decides the type of a file by its
// content, removes what pictures and recordings say beyond what they show, and
// makes smaller pictures, within bounds of memory. It has no state and opens
// nothing.
package media

import (
	"bytes"
	"errors"
	"io"
)

// The errors of Inspect.
var (
	// ErrType reports content that is of no supported type.
	ErrType = errors.New("media: not a supported type")
	// ErrBroken reports a file that is incomplete or contradicts its format.
	ErrBroken = errors.New("media: damaged or incomplete file")
	// ErrPixels reports a picture with more than MaxPixels or too many frames.
	ErrPixels = errors.New("media: too many pixels")
)

const (
	// MaxPixels bounds the width times the height of a picture.
	MaxPixels = 50_000_000
	// maxSide bounds the width and the height.
	maxSide = 65_535
	// maxFrames and maxFramePixels bound animations, which every reader's
	// browser has to decode.
	maxFrames      = 2_000
	maxFramePixels = 20 * MaxPixels
	// maxParts bounds the memory for what is kept of a file.
	maxParts = 20_000
)

// File is what Inspect found.
type File struct {
	Type          string // the media type
	Width, Height int    // in pixels, as shown; 0 without a picture
	DurationMs    int    // 0 if unknown

	parts  []part
	size   int64
	src    io.ReaderAt
	cost   int64 // bytes of memory that decoding takes; 0: it cannot be decoded here
	orient int   // as in EXIF, of a JPEG: 1 is upright
}

// Image, Audio and Video report what the file is.
func (f *File) Image() bool { return f.is("image/") }
func (f *File) Audio() bool { return f.is("audio/") }
func (f *File) Video() bool { return f.is("video/") }

func (f *File) is(prefix string) bool {
	return len(f.Type) > len(prefix) && f.Type[:len(prefix)] == prefix
}

// Size returns the size of what is kept of the file.
func (f *File) Size() int64 { return f.size }

// Reader returns what is kept of the file. It reads the file given to Inspect.
func (f *File) Reader() io.Reader {
	rs := make([]io.Reader, len(f.parts))
	for i, p := range f.parts {
		switch {
		case p.data != nil:
			rs[i] = bytes.NewReader(p.data)
		case p.blank:
			rs[i] = io.LimitReader(zeros{}, p.n)
		default:
			rs[i] = io.NewSectionReader(f.src, p.at, p.n)
		}
	}
	return io.MultiReader(rs...)
}

// part is a run of bytes of the file, or data or zeros in its place.
type part struct {
	at, n int64
	data  []byte
	blank bool
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// keep adds n bytes of the source from at on.
func (f *File) keep(at, n int64) {
	f.size += n
	if last := len(f.parts) - 1; last >= 0 && f.parts[last].data == nil && !f.parts[last].blank && f.parts[last].at+f.parts[last].n == at {
		f.parts[last].n += n
		return
	}
	f.parts = append(f.parts, part{at: at, n: n})
}

// add adds bytes that are not in the source.
func (f *File) add(data []byte) {
	f.size += int64(len(data))
	f.parts = append(f.parts, part{data: data})
}

// blank adds n zeros.
func (f *File) blank(n int64) {
	f.size += n
	f.parts = append(f.parts, part{n: n, blank: true})
}

// full reports whether the file is in more pieces than are worth keeping.
func (f *File) full() bool { return len(f.parts) >= maxParts }

// setSize sets the size of a picture; ErrPixels if it is too large.
func (f *File) setSize(w, h int64) error {
	if w <= 0 || h <= 0 {
		return ErrBroken
	}
	if w > maxSide || h > maxSide || w*h > MaxPixels {
		return ErrPixels
	}
	f.Width, f.Height = int(w), int(h)
	return nil
}

// format is a supported format: what its files begin with, and how to inspect
// them.
type format struct {
	begins  func(head []byte) bool
	inspect func(s *source, f *File) error
}

func formats() []format {
	return []format{
		{isJPEG, inspectJPEG}, {isPNG, inspectPNG}, {isGIF, inspectGIF}, {isWebP, inspectWebP},
		{isPDF, inspectPDF}, {isWAV, inspectWAV}, {isMP4, inspectMP4}, {isWebM, inspectWebM},
		{isAAC, inspectAAC}, {isMP3, inspectMP3}, {isText, inspectText},
	}
}

// Inspect inspects a file of size bytes. The result reads r. Errors other than
// those of this package are those of reading r.
func Inspect(r io.ReaderAt, size int64) (*File, error) {
	s := &source{r: r, size: size}
	head, err := s.upTo(0, 512)
	if err != nil {
		return nil, err
	}
	for _, fm := range formats() {
		if !fm.begins(head) {
			continue
		}
		f := &File{src: r, orient: 1}
		if err := fm.inspect(s, f); err != nil {
			return nil, err
		}
		if f.full() {
			return nil, ErrBroken
		}
		return f, nil
	}
	return nil, ErrType
}

// source reads a file in small pieces through a buffer.
type source struct {
	r    io.ReaderAt
	size int64
	buf  []byte
	at   int64 // of buf in the file
}

const window = 64 << 10

// bytes returns n bytes from at on, which are valid until the next call;
// ErrBroken if the file ends before. n is at most 64 KiB.
func (s *source) bytes(at int64, n int) ([]byte, error) {
	if at < 0 || n < 0 || n > window || at > s.size-int64(n) {
		return nil, ErrBroken
	}
	if at < s.at || at+int64(n) > s.at+int64(len(s.buf)) {
		if s.buf == nil {
			s.buf = make([]byte, 0, window)
		}
		want := min(int64(window), s.size-at)
		got, err := s.r.ReadAt(s.buf[:want], at)
		if int64(got) < want {
			s.buf = s.buf[:0]
			return nil, err
		}
		s.buf, s.at = s.buf[:want], at
	}
	return s.buf[at-s.at:][:n:n], nil
}

// upTo is bytes for n bytes or what is left of the file.
func (s *source) upTo(at int64, n int) ([]byte, error) {
	return s.bytes(at, int(max(0, min(int64(n), s.size-at))))
}
