package api

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/store"
)

// maxForm is how many bytes a form with a file has at most: the file and what is
// around it.
const maxForm = file.MaxSize + 64<<10

// received is the file of a request. Its zero value is for requests without.
type received struct {
	w http.ResponseWriter
	r *http.Request
	u *file.Upload
}

// receiver takes a place for the file of a request, if the endpoint takes one.
func (e *endpoint) receiver(w http.ResponseWriter, r *http.Request, v store.Viewer) (received, error) {
	if e.requestType() != multipartForm {
		return received{}, nil
	}
	u, err := e.h.files.Begin(r.Context(), v)
	return received{w, r, u}, err
}

// receive reads the file and gives it to the input.
func (f received) receive(in any) error {
	if f.u == nil {
		return nil
	}
	if err := receiveForm(f.w, f.r, f.u); err != nil {
		// The rest of the body is not worth reading.
		middleware.CloseAfter(f.w)
		return err
	}
	in.(file.Receiver).SetFile(f.u)
	return nil
}

func (f received) close() {
	if f.u != nil {
		f.u.Close()
	}
}

// receiveForm reads a form that has one file, in the field "file", into u. Other
// fields are ignored.
func receiveForm(w http.ResponseWriter, r *http.Request, u *file.Upload) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != multipartForm || len(r.Header.Values("Content-Type")) > 1 {
		return core.New(core.Unsupported, "unsupported_type", "Send the file as a form, with the header Content-Type: multipart/form-data and the field file.")
	}
	if r.ContentLength > maxForm {
		return file.ErrTooLarge()
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	form, err := middleware.ReadForm(r)
	if err != nil {
		return badForm(err)
	}
	found := false
	for range maxFields {
		part, err := form.Next()
		switch {
		case errors.Is(err, io.EOF) && !found:
			return core.InvalidField("file", "file is required: send the file in the form field file.")
		case errors.Is(err, io.EOF):
			return receiveRest(r.Body)
		case err != nil:
			return badForm(err)
		case part.Name != "file":
			continue
		case found:
			return core.InvalidField("file", "The form has more than one file. Send them one at a time.")
		}
		found = true
		if err := u.Receive(part, part.FileName); err != nil {
			return err
		}
	}
	return core.New(core.Invalid, "bad_form", "The form has too many fields. Send the file alone.")
}

// receiveRest reads what follows the end of a form: a request that is cut off
// there is not complete, either.
func receiveRest(body io.Reader) error {
	if _, err := io.Copy(io.Discard, body); err != nil {
		return badForm(err)
	}
	return nil
}

// maxFields bounds the fields of a form with a file.
const maxFields = 16

// badForm says what is wrong with a form.
func badForm(err error) error {
	var large *http.MaxBytesError
	switch {
	case core.Known(err):
		return err
	case errors.As(err, &large):
		return file.ErrTooLarge()
	}
	return core.New(core.Invalid, "bad_form", "The form is incomplete or not valid. Send it again as multipart/form-data.")
}
