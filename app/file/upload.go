package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"hearth/app/core"
	"hearth/app/media"
	"hearth/store"
)

// Upload is a file that has arrived. It must be closed.
type Upload struct {
	Name string // safe to show and to save under
	Size int64

	s    *Store
	temp *os.File
	hash hash.Hash
}

// Fingerprint returns a hash of the file and its name.
func (u *Upload) Fingerprint() string { return u.Name + " " + hex.EncodeToString(u.hash.Sum(nil)) }

// Begin begins an upload of by. It returns StorageFull if a quota is used up already,
// and TooMany if too many uploads are under way.
func (s *Store) Begin(ctx context.Context, by store.Viewer) (*Upload, error) {
	if err := s.db.Read(ctx, func(r *store.Reader) error { return s.checkQuotas(r, by, 1) }); err != nil {
		return nil, err
	}
	if !s.uploads.TryAcquire(1) {
		return nil, errTooManyUploads
	}
	return &Upload{s: s}, nil
}

var errTooManyUploads = core.TooManyAfter(0, "too_many_uploads", "Too many files are being uploaded at once. Wait until some are done.")

// Close removes what the upload holds. It may be called more than once.
func (u *Upload) Close() {
	if u.s == nil {
		return
	}
	if u.temp != nil {
		u.temp.Close()
		os.Remove(u.temp.Name())
	}
	u.s.uploads.Release(1)
	u.s, u.temp = nil, nil
}

// Receive reads the file from r. It returns TooLarge for more than MaxSize bytes,
// Invalid for an empty or incomplete file, and StorageFull if the disk has no room
// for it.
func (u *Upload) Receive(r io.Reader, name string) error {
	if !u.s.disk.has(MaxSize) {
		return errStorageFull
	}
	u.Name, u.hash = name, sha256.New()
	var err error
	if u.temp, err = os.CreateTemp(filepath.Dir(u.s.pattern()), filepath.Base(u.s.pattern())); err != nil {
		return err
	}
	os.Remove(u.temp.Name()) // where the system permits it, so that a crash leaves nothing
	u.Size, err = io.Copy(io.MultiWriter(u.temp, u.hash), io.LimitReader(r, MaxSize+1))
	switch {
	case err != nil:
		return receiveError(err)
	case u.Size > MaxSize:
		return ErrTooLarge()
	case u.Size == 0:
		return core.New(core.Invalid, "empty_file", "The file is empty. Choose one with content.")
	}
	return nil
}

// receiveError says why a file did not arrive.
func receiveError(err error) error {
	var large *http.MaxBytesError
	var local *fs.PathError // of the temporary file
	switch {
	case core.Known(err):
		return err
	case errors.As(err, &large):
		return ErrTooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return core.New(core.Invalid, "body_timeout", "The file took too long to arrive. Send it again.")
	case errors.Is(err, syscall.ENOSPC):
		return errStorageFull
	case errors.As(err, &local):
		return err
	}
	return core.New(core.Invalid, "bad_body", "The file did not arrive completely. Send it again.")
}

// ErrTooLarge is the error for a file with more than MaxSize bytes.
func ErrTooLarge() error {
	return core.New(core.TooLarge, "too_large", "The file is larger than 20 MB. Choose a smaller one.")
}

// inspect finds out what the file is.
func (u *Upload) inspect() (*media.File, error) {
	f, err := media.Inspect(u.temp, u.Size)
	switch {
	case err != nil:
		return nil, pictureError(err)
	case (f.Audio() || f.Video()) && u.Size > MaxRecording:
		return nil, core.New(core.TooLarge, "too_large", "Sounds and videos can have at most 10 MB. Send a shorter one.")
	}
	return f, nil
}

// pictureError says why a file is not accepted.
func pictureError(err error) error {
	switch {
	case errors.Is(err, media.ErrBroken):
		return core.New(core.Invalid, "damaged_file", "The file is damaged or incomplete. Save it again, or choose a different file.")
	case errors.Is(err, media.ErrPixels):
		return core.New(core.Invalid, "picture_too_large", "The picture has too many pixels. Send one with at most 50 megapixels.")
	}
	return err
}

// maxName and maxExt are how many characters the name of a file and its extension have
// at most.
const (
	maxName = 120
	maxExt  = 20
)

// SafeName returns the name of a file of a type as it is shown and saved: without
// folders, control characters and marks that change the direction of writing, and not
// too long. What is shown has an extension of its type; other files keep their own.
func SafeName(name, mimeType string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.TrimLeft(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
			strings.ContainsRune(`"/\:*?<>|`, r) {
			return -1
		}
		return r
	}, name), ". ")
	ext := path.Ext(name)
	base := strings.TrimSuffix(name, ext)
	switch known := extensions[mimeType]; {
	case known == nil || slices.Contains(known, strings.ToLower(ext)):
	case mimeType == "text/plain" && ext != "":
	default:
		base, ext = name, known[0]
	}
	base = core.FirstRunes(base, maxName)
	ext = core.FirstRunes(strings.TrimRight(ext, ". "), maxExt)
	if base = strings.TrimRight(base, ". "); base == "" {
		base = "file"
	}
	return base + ext
}

// extensions has the extensions of the types that are shown, the usual one first.
var extensions = map[string][]string{
	"image/jpeg":      {".jpg", ".jpeg"},
	"image/png":       {".png"},
	"image/gif":       {".gif"},
	"image/webp":      {".webp"},
	"application/pdf": {".pdf"},
	"text/plain":      {".txt"},
	"audio/mp4":       {".m4a", ".mp4"},
	"video/mp4":       {".mp4", ".m4v"},
	"audio/aac":       {".aac"},
	"audio/mpeg":      {".mp3"},
	"audio/wav":       {".wav"},
	"audio/ogg":       {".ogg", ".oga", ".opus"},
	"video/ogg":       {".ogv", ".ogg"},
	"audio/webm":      {".webm"},
	"video/webm":      {".webm"},
}

// Receiver is implemented by inputs of operations that take a file.
type Receiver interface{ SetFile(*Upload) }

// In is the input of an operation that takes a file.
type In struct {
	File *Upload `json:"-"`
}

// SetFile implements Receiver.
func (in *In) SetFile(u *Upload) { in.File = u }

// Fingerprint implements op.Fingerprinted.
func (in *In) Fingerprint() string { return in.File.Fingerprint() }
