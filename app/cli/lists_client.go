package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
)

type listsClient struct {
	base    string
	http    *http.Client
	key     string // of LISTS_API_KEY
	as      string // the address of the account, with a database file
	session string // the token of hearth login, or ""
	local   bool
	close   func() error
}

// remoteClient follows no redirect: the key and the content are only for the server that was named.
func remoteClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// document is a body that is sent as it is.
type document struct {
	kind    string
	content []byte
}

// call sends in, a document or what becomes JSON, and decodes the answer into out.
func (c *listsClient) call(ctx context.Context, method, path string, in, out any) ([]byte, error) {
	doc, ok := in.(document)
	if !ok && in != nil {
		b, err := json.Marshal(in, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		doc = document{"application/json", b}
	}
	res, err := c.send(ctx, method, path, doc)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil && out != nil {
		err = json.Unmarshal(b, out)
	}
	return b, err
}

func (c *listsClient) send(ctx context.Context, method, path string, body document) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body.content))
	if err != nil {
		return nil, err
	}
	if body.kind != "" {
		req.Header.Set("Content-Type", body.kind)
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
	if c.session != "" && (c.key == "" || write && strings.HasPrefix(c.key, "cl_")) {
		return c.session
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
func (c *listsClient) watch(ctx context.Context, list string, show func(change)) error {
	last, wait := "", time.Second
	for {
		path := list + "/events"
		if last != "" {
			path += "?lastEventId=" + last
		}
		res, err := c.send(ctx, "GET", path, document{})
		var status errStatus
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &status) && status.code != exitLater, err != nil && last == "":
			return err
		case err == nil:
			wait = time.Second
			readEvents(res.Body, func(e change) {
				last = cmp.Or(e.ID, last)
				show(e)
			})
			res.Body.Close()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, 30*time.Second)
	}
}

func readEvents(r io.Reader, show func(change)) {
	var e change
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // a change has one item
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.ID = value
		case "event":
			e.Kind = value
		case "data":
			e.Data = append(e.Data, value...)
		case "":
			if e.Kind != "" {
				show(e)
			}
			e = change{}
		}
	}
}
