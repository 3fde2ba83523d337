package media

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"
)

func isPDF(head []byte) bool { return bytes.HasPrefix(head, []byte("%PDF-")) }

// pdfTail is how much of the end of a PDF is searched for the mark of its end.
const pdfTail = 4 << 10

// inspectPDF keeps the file up to the mark of its end. Its content is not read.
func inspectPDF(s *source, f *File) error {
	f.Type = "application/pdf"
	start := max(0, s.size-pdfTail)
	tail, err := s.upTo(start, pdfTail)
	if err != nil {
		return err
	}
	mark := []byte("%%EOF")
	i := bytes.LastIndex(tail, mark)
	if i < 0 {
		return ErrBroken
	}
	f.keep(0, start+int64(i+len(mark)))
	f.add([]byte("\n"))
	return nil
}

// isText reports whether the file may be a plain text. Browsers run HTML and XML,
// which other programs may take a plain text for, too.
func isText(head []byte) bool {
	kind := http.DetectContentType(head)
	if strings.HasPrefix(kind, "text/html") || strings.HasPrefix(kind, "text/xml") {
		return false
	}
	head = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n\f"))
	for _, p := range []string{"<?", "<!", "<svg", "<math", "<html", "<body", "<link", "<meta", "<base", "<form", "<img", "<object", "<embed", "<video", "<audio", "<frameset", "<template"} {
		if bytes.HasPrefix(head, []byte(p)) {
			return false
		}
	}
	return true
}

// inspectText keeps a text in UTF-8 as it is.
func inspectText(s *source, f *File) error {
	f.Type = "text/plain"
	for at := int64(0); at < s.size; {
		b, err := s.upTo(at, window)
		if err != nil {
			return err
		}
		last := at+int64(len(b)) == s.size
		for len(b) > 0 {
			r, n := utf8.DecodeRune(b)
			if r == utf8.RuneError && n == 1 {
				if last || utf8.FullRune(b) {
					return ErrType
				}
				break // the rest of the rune is in the next piece
			}
			if r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r) {
				return ErrType
			}
			b, at = b[n:], at+int64(n)
		}
	}
	f.keep(0, s.size)
	return nil
}
