package api

import (
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/store"
)

func fileOf(kind, doc string) Response {
	return Response{Type: kind, Doc: doc, Also: []int{http.StatusPartialContent, http.StatusNotModified, http.StatusPreconditionFailed,
		http.StatusRequestedRangeNotSatisfiable}}
}

const ownType = "The file, with its own content type. Ranges are supported."

func attachmentRoute(s *chat.Service) Endpoint {
	return decoded("DownloadAttachment", s.GetAttachment.Op.Info().Spec, fileOf(anyType, ownType),
		func(w http.ResponseWriter, r *http.Request, v store.Viewer, in chat.GetAttachmentIn) {
			got, err := s.GetAttachment.Call(r.Context(), v, in)
			sendFile(w, r, got, err, in.ID, in.Preview)
		})
}

func reportFileRoute(s *admin.Service) Endpoint {
	return decoded("DownloadReportFile", s.GetReportFile.Op.Info().Spec, fileOf(anyType, ownType),
		func(w http.ResponseWriter, r *http.Request, v store.Viewer, in admin.GetReportFileIn) {
			got, err := s.GetReportFile.Call(r.Context(), v, in)
			sendFile(w, r, got, err, in.ID+"-"+strconv.Itoa(in.Number), in.Preview)
		})
}

func pictureRoute(s *account.Service) Endpoint {
	return decoded("ShowPicture", s.GetPicture.Op.Info().Spec, fileOf("image/*", "The picture, as JPEG or PNG. It never changes."),
		func(w http.ResponseWriter, r *http.Request, v store.Viewer, in core.ByID) {
			got, err := s.GetPicture.Call(r.Context(), v, in)
			if err != nil {
				middleware.FailJSON(w, err)
				return
			}
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable") // public to everybody who has the id
			send(w, r, got.Content, got.MimeType, in.ID)
		})
}

func sendFile(w http.ResponseWriter, r *http.Request, got *file.Served, err error, tag string, preview bool) {
	if err != nil {
		middleware.FailJSON(w, err)
		return
	}
	if preview {
		tag += "-preview"
	}
	w.Header().Set("Content-Disposition", disposition(got.MimeType, got.Name))
	send(w, r, got.Content, got.MimeType, tag)
}

// send forbids caching unless the handler has allowed it: nobody may see a file after signing out or losing access. A
// browser runs nothing in it: the type is detected, other sites cannot embed it, and it is sandboxed as a page.
func send(w http.ResponseWriter, r *http.Request, c *io.SectionReader, mimeType, tag string) {
	if mimeType == "text/plain" {
		mimeType += "; charset=utf-8"
	}
	h := w.Header()
	h.Set("Content-Type", mimeType)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(&fileWriter{ResponseWriter: w, tag: tag}, r, "", time.Time{}, c)
}

// fileWriter responds with an error object where http.ServeContent writes text, or with nothing.
type fileWriter struct {
	http.ResponseWriter
	tag    string
	failed bool
}

func (w *fileWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *fileWriter) WriteHeader(status int) {
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		w.fail(status, core.New(core.Invalid, "invalid_range",
			"The file does not have this range. Ask for bytes that it has, or for all of it without the Range header."))
	case http.StatusPreconditionFailed:
		e := core.New(core.Precondition, "precondition_failed", "The file is not the one in If-Match. Ask for it without that header.")
		e.Version = w.tag
		w.fail(status, e)
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *fileWriter) fail(status int, e *core.Error) {
	w.failed = true
	w.Header().Del("Content-Disposition")
	w.Header().Set("Cache-Control", "no-store")
	middleware.SendError(w.ResponseWriter, status, e)
}

func (w *fileWriter) Write(b []byte) (int, error) {
	if w.failed {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// A browser shows only files that the server has fully parsed as a picture, a sound or a video.
func disposition(mimeType, name string) string {
	kind := "attachment"
	if strings.HasPrefix(mimeType, "image/") || strings.HasPrefix(mimeType, "audio/") || strings.HasPrefix(mimeType, "video/") {
		kind = "inline"
	}
	return mime.FormatMediaType(kind, map[string]string{"filename": name})
}
