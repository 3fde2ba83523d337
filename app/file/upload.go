package file

import (
	"bytes"
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
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/app/media"
	"hearth/store"
)

// inMemory is how much of an upload is kept in memory; a larger one is in a temporary
// file.
const inMemory = 64 << 10

// Upload is a file that has arrived. It must be closed.
type Upload struct {
	Name string // safe to show and to save under
	Size int64

	s      *Store
	person string
	data   []byte
	temp   *os.File
	hash   hash.Hash

	held, written int64 // bytes reserved for temp, and those that it has
}

// underWay is what a person and their bots upload.
type underWay struct {
	files int
	bytes int64 // reserved for temporary files
}

// Fingerprint returns a hash of the file and its name.
func (u *Upload) Fingerprint() string { return u.Name + " " + hex.EncodeToString(u.hash.Sum(nil)) }

// Begin takes a place for an upload of by. It returns StorageFull if a quota is
// used up already, and TooMany if too many uploads are under way: of the person and
// their bots, or of all. The last quarter of the places is for people who have none.
func (s *Store) Begin(ctx context.Context, by store.Viewer) (*Upload, error) {
	if err := s.db.Read(ctx, func(r *store.Reader) error { return s.checkQuotas(r, by, 1) }); err != nil {
		return nil, err
	}
	person := by.PersonID()
	s.mu.Lock()
	defer s.mu.Unlock()
	own, left := s.uploads[person], maxUploads-s.total
	if own.files > 0 {
		left -= reservedUploads
	}
	if left <= 0 || own.files >= maxOwnUploads {
		return nil, errTooManyUploads
	}
	own.files++
	s.uploads[person] = own
	s.total++
	return &Upload{s: s, person: person}, nil
}

var errTooManyUploads = core.TooManyAfter(0, "too_many_uploads", "Too many files are being uploaded at once. Wait until some are done.")

// Close gives up what the upload holds. It may be called more than once.
func (u *Upload) Close() {
	if u.s == nil {
		return
	}
	if u.temp != nil {
		u.s.disk.wrote(-u.written)
		u.temp.Close()
		os.Remove(u.temp.Name())
		u.s.disk.release(u.held)
	}
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.s.total--
	own := u.s.uploads[u.person]
	own.files--
	own.bytes -= u.held
	if u.s.uploads[u.person] = own; own.files == 0 {
		delete(u.s.uploads, u.person)
	}
	u.s, u.temp, u.data = nil, nil, nil
}

// Receive reads the file from r. It returns TooLarge if it has more than MaxSize
// bytes, and Invalid if it is empty or does not arrive completely. It returns
// StorageFull if the disk has no room for it beside other uploads, and TooMany if
// those of the person and their bots take too much of it.
func (u *Upload) Receive(r io.Reader, name string) error {
	u.Name, u.hash = name, sha256.New()
	r = io.TeeReader(io.LimitReader(r, MaxSize+1), u.hash)
	var head bytes.Buffer
	n, err := io.CopyN(&head, r, inMemory)
	u.data, u.Size = head.Bytes(), n
	if err == nil {
		err = u.spill(r)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return receiveError(err)
	case u.Size > MaxSize:
		return ErrTooLarge()
	case u.Size == 0:
		return core.New(core.Invalid, "empty_file", "The file is empty. Choose one with content.")
	}
	return nil
}

// spill moves what is in memory to a temporary file and adds the rest. A file of
// exactly the size that fits moves, too.
func (u *Upload) spill(r io.Reader) (err error) {
	if u.temp, err = os.CreateTemp(dirOf(u.s.pattern())); err != nil {
		return err
	}
	os.Remove(u.temp.Name()) // where the system permits it, so that a crash leaves nothing
	w := tempWriter{u}
	if _, err := w.Write(u.data); err != nil {
		return err
	}
	u.data = nil
	n, err := io.Copy(w, r)
	u.Size += n
	return err
}

// tempWriter writes to the temporary file of an upload what has room there.
type tempWriter struct{ u *Upload }

func (w tempWriter) Write(b []byte) (int, error) {
	if err := w.u.hold(int64(len(b))); err != nil {
		return 0, err
	}
	n, err := w.u.temp.Write(b)
	w.u.written += int64(n)
	w.u.s.disk.wrote(int64(n))
	return n, err
}

// hold reserves another n bytes for the temporary file, until the upload is closed.
func (u *Upload) hold(n int64) error {
	s := u.s
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.uploads[u.person]
	if own.bytes+n > maxOwnBytes {
		return errTooManyUploads
	}
	if !s.disk.hold(n, s.pending) {
		return errStorageFull
	}
	own.bytes += n
	s.uploads[u.person] = own
	u.held += n
	return nil
}

func dirOf(pattern string) (dir, name string) {
	i := strings.LastIndexFunc(pattern, func(r rune) bool { return r == os.PathSeparator || r == '/' })
	return pattern[:i+1], pattern[i+1:]
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

// ReadAt implements io.ReaderAt.
func (u *Upload) ReadAt(b []byte, at int64) (int, error) {
	if u.temp != nil {
		return u.temp.ReadAt(b, at)
	}
	return bytes.NewReader(u.data).ReadAt(b, at)
}

var errType = core.New(core.Unsupported, "unsupported_file", "This kind of file cannot be sent. Send a picture (JPEG, PNG, GIF, WebP), a PDF, plain text, or a recording (M4A, MP4, AAC, MP3, WAV, WebM).")

// inspect finds out what the file is.
func (u *Upload) inspect() (*media.File, error) {
	f, err := media.Inspect(u, u.Size)
	switch {
	case errors.Is(err, media.ErrType):
		return nil, errType
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
		return core.New(core.Invalid, "damaged_file", "The file is damaged or incomplete. Save it again, or choose another one.")
	case errors.Is(err, media.ErrPixels):
		return core.New(core.Invalid, "picture_too_large", "The picture has too many pixels or frames. Send one with at most 50 megapixels.")
	}
	return err
}

// preview returns a smaller picture of f, or nil if none is needed or can be
// made.
func (u *Upload) preview(ctx context.Context, f *media.File) (*media.Picture, error) {
	if !media.Decodable(f) {
		return nil, nil
	}
	p, err := u.s.decoder.Preview(ctx, u.person, f)
	if errors.Is(err, media.ErrUnsupported) {
		return nil, nil
	}
	return p, pictureError(err)
}

// maxName is how many characters the name of a file has at most.
const maxName = 120

// SafeName returns the name of a file of a type as it is shown and saved: without
// folders, control characters and marks that change the direction of writing, not
// too long, and with an extension that belongs to the type.
func SafeName(name, mimeType string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.TrimLeft(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || strings.ContainsRune(`"/\:*?<>|`, r) {
			return -1
		}
		return r
	}, name), ". ")
	known := extensions(mimeType)
	ext := strings.ToLower(path.Ext(name))
	base := name
	for _, e := range known {
		if ext == e {
			base = name[:len(name)-len(e)]
			known = []string{name[len(name)-len(e):]}
			break
		}
	}
	for utf8.RuneCountInString(base) > maxName {
		_, n := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-n]
	}
	if base = strings.TrimRight(base, ". "); base == "" {
		base = "file"
	}
	return base + known[0]
}

// extensions returns the extensions of a type, the usual one first.
func extensions(mimeType string) []string {
	switch mimeType {
	case "image/jpeg":
		return []string{".jpg", ".jpeg"}
	case "image/png":
		return []string{".png"}
	case "image/gif":
		return []string{".gif"}
	case "image/webp":
		return []string{".webp"}
	case "application/pdf":
		return []string{".pdf"}
	case "text/plain":
		return []string{".txt", ".md", ".csv", ".log"}
	case "audio/mp4":
		return []string{".m4a", ".mp4"}
	case "video/mp4":
		return []string{".mp4", ".m4v"}
	case "audio/aac":
		return []string{".aac"}
	case "audio/mpeg":
		return []string{".mp3"}
	case "audio/wav":
		return []string{".wav"}
	case "audio/webm", "video/webm":
		return []string{".webm"}
	}
	return []string{".bin"}
}

// Receiver is implemented by inputs of operations that take a file.
type Receiver interface{ SetFile(*Upload) }
