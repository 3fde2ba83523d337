package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
)

type listsClient struct {
	base    string
	http    *http.Client
	key     string        // of LISTS_API_KEY
	as      string        // the address of the account, with a database file
	session func() string // the token of hearth login, or ""
	local   bool
	close   func() error
}

const maxAnswer = 32 << 20 // a page of the longest items has 10 MiB

const maxChange = 1 << 20 // a change has one item

// remoteClient follows no redirect: the key and the content are only for the server that was named.
func remoteClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

type errStatus struct {
	error
	code int
}

const (
	exitForbidden = 3
	exitNotFound  = 4
	exitLater     = 5
)

func (c *listsClient) call(ctx context.Context, method, path string, in, out any) ([]byte, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	res, err := c.send(ctx, method, path, "application/json", body)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := c.read(res)
	if err == nil && out != nil {
		err = json.Unmarshal(b, out)
	}
	return b, err
}

func (c *listsClient) read(res *http.Response) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if len(b) > maxAnswer {
		return nil, fmt.Errorf("the answer of %s is longer than %d MiB, and it is perhaps no hearth server", c.base, maxAnswer>>20)
	}
	return b, err
}

func (c *listsClient) send(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	if c.as != "" {
		req.Header.Set(app.ActAs, c.as)
	}
	if token := c.token(method != http.MethodGet); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errStatus{fmt.Errorf("cannot reach %s: %w", c.base, errors.Unwrap(err)), exitLater}
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, c.failure(res)
}

// A session comes before a personal key for writes: personal keys only read.
func (c *listsClient) token(write bool) string {
	if c.key == "" || write && strings.HasPrefix(c.key, "cl_") {
		if t := c.session(); t != "" {
			return t
		}
	}
	return c.key
}

func (c *listsClient) failure(res *http.Response) error {
	var e struct{ Error, Code string }
	b, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if json.Unmarshal(b, &e, json.MatchCaseInsensitiveNames(true)) != nil || e.Error == "" {
		e.Error = fmt.Sprintf("%s answered with status %d, and is perhaps no hearth server", c.base, res.StatusCode)
	}
	if to, err := res.Location(); err == nil && res.StatusCode < 400 {
		return fmt.Errorf("%s redirects to %s. If that is the server that you mean, name it with --url", c.base, visible(to.String()))
	}
	err := errors.New(visible(e.Error))
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		if e.Code == "read_only_key" || e.Code == "unauthenticated" {
			err = c.signIn(e.Code)
		}
		return errStatus{err, exitForbidden}
	case http.StatusNotFound:
		return errStatus{errors.New("not found: there is no such list or item, or this account may not see it"), exitNotFound}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusInsufficientStorage, http.StatusBadGateway:
		return errStatus{err, exitLater}
	}
	return err
}

func (c *listsClient) signIn(code string) error {
	switch {
	case c.local && code == "read_only_key":
		return errors.New("a personal key (cl_) only reads. To edit, name an account with --as EMAIL, or set " + keyVariable +
			" to an agent key (oc_)")
	case c.local:
		return errors.New("this needs an account: name one with --as EMAIL, or set " + keyVariable)
	case code == "read_only_key":
		return fmt.Errorf("a personal key (cl_) only reads. To edit, sign in with: hearth login --url %s EMAIL", c.base)
	}
	return fmt.Errorf("this needs an account: sign in with: hearth login --url %s EMAIL, or set a valid %s", c.base, keyVariable)
}

type change struct {
	ID, Kind string
	Data     []byte
}

// watch reconnects after a break and continues after the last event.
func (c *listsClient) watch(ctx context.Context, id string, show func(change)) error {
	last, wait := "", time.Second
	for {
		path := "/api/lists/" + id + "/events"
		if last != "" {
			path += "?lastEventId=" + last
		}
		res, err := c.send(ctx, "GET", path, "", nil)
		var status errStatus
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &status) && status.code != exitLater, err != nil && last == "":
			return err
		case err == nil:
			wait = time.Second
			long := readEvents(res.Body, func(e change) {
				if e.ID != "" {
					last = e.ID
				}
				show(e)
			})
			res.Body.Close()
			if long {
				return fmt.Errorf("a change that %s sent is longer than %d MiB, and it is perhaps no hearth server", c.base, maxChange>>20)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, 30*time.Second)
	}
}

func readEvents(r io.Reader, show func(change)) (long bool) {
	var e change
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxChange)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.ID = value
		case "event":
			e.Kind = value
		case "data":
			if e.Data = append(e.Data, value...); len(e.Data) > maxChange {
				return true
			}
		case "":
			if e.Kind != "" {
				show(e)
			}
			e = change{}
		}
	}
	return errors.Is(lines.Err(), bufio.ErrTooLong)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
