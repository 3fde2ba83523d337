// Package voice transcribes voice notes with an OpenAI-compatible service of the operator.
package voice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/fetch"
	"hearth/app/file"
	"hearth/store"
)

const (
	workers       = 2                // voice notes transcribed at once
	timeout       = 60 * time.Second // of one transcription
	maxAnswer     = 256 << 10        // bytes of a response
	maxTranscript = 20_000           // characters
	retryAfter    = time.Second      // after the database could not be read
)

// Config is what New needs.
type Config struct {
	DB       *store.DB
	Files    *file.Store
	URL      string   // of the service, without /v1/audio/transcriptions
	AllowNet []string // as for fetch.NewDialer; the host of URL is allowed anyway
	Log      *slog.Logger
	// Finish stores the transcript of a message, or "" for none. It returns store.ErrNoRow if nothing waits for it
	// any more.
	Finish func(ctx context.Context, messageID, transcript string) error
}

// Transcriber sends voice notes to the service and stores the transcripts. The backlog is in the database: a restart
// loses none.
type Transcriber struct {
	c      Config
	url    string
	client *http.Client
	wake   chan struct{}
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// New starts a transcriber. An invalid URL is an error.
func New(c Config) (*Transcriber, error) {
	address, client, err := fetch.NewService("--transcribe-url", c.URL, "audio/transcriptions", c.AllowNet)
	if err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	t := &Transcriber{c: c, url: address, client: client, wake: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	t.wg.Go(func() { t.run(ctx) })
	return t, nil
}

// Wake makes the transcriber look for voice notes. It does not wait.
func (t *Transcriber) Wake() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Close stops the transcriber. The backlog is transcribed after a restart.
func (t *Transcriber) Close() {
	t.cancel()
	t.wg.Wait()
	t.client.CloseIdleConnections()
}

type ended struct {
	messageID string
	err       error
}

func (t *Transcriber) run(ctx context.Context) {
	busy, done := map[string]bool{}, make(chan ended, workers)
	var again <-chan time.Time
	check := func(err error) {
		if err != nil && ctx.Err() == nil {
			t.c.Log.Warn("voice notes could not be transcribed", "error", err)
			again = time.After(retryAfter)
		}
	}
	for ctx.Err() == nil {
		if again == nil {
			check(t.begin(ctx, busy, done))
		}
		select {
		case <-ctx.Done():
		case <-t.wake:
		case <-again:
			again = nil
		case e := <-done:
			delete(busy, e.messageID)
			check(e.err)
		}
	}
	for range busy {
		<-done
	}
}

func (t *Transcriber) begin(ctx context.Context, busy map[string]bool, done chan<- ended) error {
	for len(busy) < workers {
		var notes []store.VoiceNote
		err := t.c.DB.Read(ctx, func(r *store.Reader) (err error) {
			notes, err = r.VoiceNotes(1, slices.Collect(maps.Keys(busy))...)
			return err
		})
		if err != nil || len(notes) == 0 {
			return err
		}
		n := notes[0]
		busy[n.MessageID] = true
		go func() { done <- ended{n.MessageID, t.note(ctx, n)} }()
	}
	return nil
}

// A voice note that is not transcribed in time has no transcript.
func (t *Transcriber) note(ctx context.Context, n store.VoiceNote) error {
	text := ""
	if left := n.Until.Sub(t.c.DB.Now()); left > 0 {
		var err error
		if text, err = t.transcribe(ctx, n.Attachment, min(left, timeout)); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			t.c.Log.Warn("a voice note was not transcribed", "error", err)
		}
	}
	err := t.c.Finish(ctx, n.MessageID, text)
	if errors.Is(err, store.ErrNoRow) {
		err = nil // it was deleted
	}
	return err
}

func (t *Transcriber) transcribe(ctx context.Context, a store.Attachment, within time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	body, w := io.Pipe()
	defer body.Close()
	form := multipart.NewWriter(w)
	go func() { w.CloseWithError(writeForm(form, t.c.Files.Open(ctx, a.BlobID, a.Size), a.Name)) }()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, body)
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	res, err := t.client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the service responded with %d", res.StatusCode)
	}
	var out struct {
		Text string `json:"text"`
	}
	if err := json.UnmarshalRead(io.LimitReader(res.Body, maxAnswer), &out); err != nil {
		return "", fmt.Errorf("the service responded with something else than a transcript: %w", err)
	}
	return clean(out.Text), nil
}

func writeForm(form *multipart.Writer, content io.Reader, name string) error {
	err := form.WriteField("model", "whisper-1")
	if err == nil {
		err = form.WriteField("response_format", "json")
	}
	part, e := form.CreateFormFile("file", name)
	if err = errors.Join(err, e); err != nil {
		return err
	}
	if _, err := io.Copy(part, content); err != nil {
		return err
	}
	return form.Close()
}

func clean(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd")))
	n := 0
	for i := range s {
		if n++; n > maxTranscript {
			return s[:i]
		}
	}
	return s
}
