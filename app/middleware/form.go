package middleware

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
)

// maxPartHeader is the limit of a part's header in bytes. The reader of forms itself keeps up to 10 MiB.
const maxPartHeader = 4 << 10

var errPartHeader = errors.New("the header of a part of the form is too long")

// Form reads a form with files, part by part.
type Form struct {
	parts *multipart.Reader
	body  *formBody
	part  *multipart.Part
}

// Part is a field or a file of a form.
type Part struct {
	io.Reader
	Name     string
	FileName string // "" for a field
}

type formBody struct {
	io.ReadCloser
	header bool
	left   int // bytes left of the header
}

func (b *formBody) Read(to []byte) (int, error) {
	if b.header {
		if b.left == 0 {
			return 0, errPartHeader
		}
		to = to[:min(len(to), b.left)]
	}
	n, err := b.ReadCloser.Read(to)
	b.left -= n
	return n, err
}

// ReadForm starts to read the form of r.
func ReadForm(r *http.Request) (*Form, error) {
	b := &formBody{ReadCloser: r.Body}
	r.Body = b
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	return &Form{parts: parts, body: b}, nil
}

// Next returns the next part, or io.EOF. It skips the rest of the previous part.
func (f *Form) Next() (*Part, error) {
	if f.part != nil {
		if _, err := io.Copy(io.Discard, f.part); err != nil {
			return nil, err
		}
	}
	f.body.header, f.body.left = true, maxPartHeader
	part, err := f.parts.NextPart()
	f.body.header = false
	if err != nil {
		return nil, err
	}
	f.part = part
	p := &Part{Reader: part, Name: part.FormName(), FileName: part.FileName()}
	part.Header = nil // unused, and may have thousands of lines
	return p, nil
}
