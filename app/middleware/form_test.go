package middleware

import (
	"errors"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

const (
	textPart = "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n"
	filePart = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
	formEnd  = "\r\n--x--\r\n"
)

// A header of a part has at most 4 KiB, wherever the part is; what the reader has in its
// buffer already comes on top.
func TestHeadersOfParts(t *testing.T) {
	const buffered = 4 << 10
	for before, name := range map[string]string{"": "the first", textPart + "a\r\n": "one after a text",
		filePart + strings.Repeat("x", 100_000) + "\r\n": "one after a file"} {
		for more, want := range map[string]error{
			"X: " + strings.Repeat("v", 3<<10) + "\r\n":                   nil,
			"X: " + strings.Repeat("v", buffered+maxPartHeader) + "\r\n":  errPartHeader,
			strings.Repeat("a:\r\n", 5<<20):                               errPartHeader,
			strings.Repeat("X: "+strings.Repeat("v", 40_000)+"\r\n", 200): errPartHeader,
		} {
			rest := strings.NewReader(textPart[:len(textPart)-2] + more + "\r\nend" + formEnd)
			whole := rest.Len()
			r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(before), rest))
			r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
			form, err := ReadForm(r)
			if err != nil {
				t.Fatal(err)
			}
			var last *Part
			for p, next := form.Next(); ; p, next = form.Next() {
				if err = next; err != nil {
					break
				}
				last = p
			}
			if want == nil {
				if !errors.Is(err, io.EOF) || last.Name != "text" {
					t.Errorf("%s with %d bytes of header: %v", name, len(more), err)
				}
			} else if !errors.Is(err, want) || whole-rest.Len() > buffered+maxPartHeader {
				t.Errorf("%s with %d bytes of header: %v after %d bytes of it", name, len(more), err, whole-rest.Len())
			}
		}
	}
}

// Forms with files are read in no other way: the reader of the standard library keeps the
// headers of parts without a limit that is low enough.
func TestFormsAreReadHere(t *testing.T) {
	other := regexp.MustCompile(`\.(MultipartReader|ParseMultipartForm|FormFile|FormValue|PostFormValue)\(|multipart\.NewReader\(`)
	read := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == "app/middleware/form.go" {
			return err
		}
		text, err := os.ReadFile("../../" + path)
		if found := other.Find(text); found != nil {
			t.Errorf("%s has %s: use ReadForm", path, found)
		}
		read++
		return err
	})
	if err != nil || read < 200 {
		t.Errorf("%d files were read: %v", read, err)
	}
}
