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

const maxForm = file.MaxSize + 64<<10

type received struct {
	w http.ResponseWriter
	r *http.Request
	u *file.Upload
}

func (e *endpoint) receiver(w http.ResponseWriter, r *http.Request, v store.Viewer) (received, error) {
	if e.requestType() != multipartForm {
		return received{}, nil
	}
	u, err := e.h.files.Begin(r.Context(), v)
	return received{w, r, u}, err
}

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

func receiveForm(w http.ResponseWriter, r *http.Request, u *file.Upload) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != multipartForm || len(r.Header.Values("Content-Type")) > 1 {
		return core.New(core.Unsupported, "unsupported_type",
			"Send the file as a form, with the header Content-Type: multipart/form-data and the field file.")
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

// A request that is cut off after the form is incomplete, too.
func receiveRest(body io.Reader) error {
	if _, err := io.Copy(io.Discard, body); err != nil {
		return badForm(err)
	}
	return nil
}

const maxFields = 16

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
