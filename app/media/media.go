// Package media inspects uploaded files. It decides the type of a file by its
// content, removes metadata from pictures, and makes smaller pictures. It has no
// state and opens nothing.
package media

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// The errors of Inspect.
var (
	// ErrBroken reports a picture that is incomplete or contradicts its format.
	ErrBroken = errors.New("media: damaged or incomplete file")
	// ErrPixels reports a picture with more than MaxPixels.
	ErrPixels = errors.New("media: too many pixels")
)

const (
	// MaxPixels bounds the width times the height of a picture.
	MaxPixels = 50_000_000
	// Download is the type of files that are not shown.
	Download = "application/octet-stream"

	headSize = 64 << 10 // what is read of a file that is no picture
)

// File is what Inspect found.
type File struct {
	Type          string // the media type
	Width, Height int    // in pixels, as shown; 0 without a picture
	DurationMs    int    // 0 if unknown

	r      io.ReaderAt
	size   int64
	data   []byte // of a picture, without metadata
	memory int64  // what decoding a picture takes; 0 if it cannot be decoded
	orient int    // as in EXIF: 1 is upright
}

// Image, Audio and Video report what the file is.
func (f *File) Image() bool { return strings.HasPrefix(f.Type, "image/") }
func (f *File) Audio() bool { return strings.HasPrefix(f.Type, "audio/") }
func (f *File) Video() bool { return strings.HasPrefix(f.Type, "video/") }

// Size returns the size of the content.
func (f *File) Size() int64 { return f.size }

// Reader returns the content: that of a picture without metadata, and of any other
// file as it is.
func (f *File) Reader() io.Reader {
	if f.Image() {
		return bytes.NewReader(f.data)
	}
	return io.NewSectionReader(f.r, 0, f.size)
}

// Inspect inspects a file of size bytes, and holds the whole of a picture in memory.
// Every type is accepted; what is not known to be safe to show has the type Download.
// Errors that this package does not define come from reading r.
func Inspect(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size, orient: 1}
	head, err := f.read(0, headSize)
	if err != nil {
		return nil, err
	}
	if f.Type = typeOf(head); f.Image() {
		err = f.inspectPicture()
	} else {
		err = f.measure(head)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// typeOf returns the type of a file that begins with head.
func typeOf(head []byte) string {
	m := mimetype.Detect(head)
	switch kind, _, _ := strings.Cut(m.String(), ";"); kind {
	case "image/jpeg", "image/png", "image/gif", "image/webp", "application/pdf",
		"audio/mpeg", "audio/aac", "audio/wav", "audio/ogg", "audio/mp4", "video/mp4", "video/webm", "video/ogg":
		return kind
	case "image/apng":
		return "image/png"
	case "audio/x-m4a", "video/x-m4v":
		return "video/mp4"
	}
	for ; m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return "text/plain"
		}
	}
	return Download
}

// read returns n bytes from at on, or what the file has of them.
func (f *File) read(at, n int64) ([]byte, error) {
	b := make([]byte, max(0, min(n, f.size-at)))
	if got, err := f.r.ReadAt(b, at); got < len(b) {
		return nil, err
	}
	return b, nil
}
