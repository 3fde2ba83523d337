package api

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

const maxForm = file.MaxSize + 64<<10

// receive sets what in takes besides its members: the whole body, or a file of a form. The caller closes the upload.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request, v store.Viewer, in any) (u *file.Upload, err error) {
	switch in := in.(type) {
	case op.BodyReceiver:
		b, err := middleware.ReadBody(w, r, in.MaxBody())
		in.SetBody(b)
		return nil, err
	case file.Receiver:
		if u, err = h.files.Begin(r.Context(), v); err == nil {
			err = receiveForm(w, r, u)
			in.SetFile(u)
		}
	}
	return u, err
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
			// A request that is cut off after the form is incomplete, too.
			if _, err = io.Copy(io.Discard, r.Body); err != nil {
				err = badForm(err)
			}
			return err
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
