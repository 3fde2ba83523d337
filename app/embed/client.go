package embed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/fetch"
	"hearth/app/match"
)

const (
	timeout   = 30 * time.Second
	maxAnswer = 4 << 20 // 24 vectors of 4,096 numbers with all their digits
)

// Errors of client contain no text that was sent or received.
type client struct {
	url, model, key string
	http            *http.Client
}

func newClient(c *Config) (*client, error) {
	address, http, err := fetch.NewService("--embed-url", c.URL, "embeddings", c.AllowNet)
	if err != nil {
		return nil, err
	}
	return &client{url: address, model: c.Model, key: c.Key, http: http}, nil
}

// errRefused is for a text that the service does not take.
var errRefused = errors.New("the service refused a text")

var errNotVectors = errors.New("the service responded with something else than a vector for each text")

func (c *client) vectors(ctx context.Context, texts []string) ([]match.Vector, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	body, err := json.Marshal(struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{c.model, texts})
	if err != nil {
		return nil, errors.New("the texts could not be encoded")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "hearth")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return nil, errRefused
	default:
		return nil, fmt.Errorf("the service responded with status %d", res.StatusCode)
	}
	return decode(res.Body, len(texts))
}

func decode(body io.Reader, n int) ([]match.Vector, error) {
	var out struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.UnmarshalRead(io.LimitReader(body, maxAnswer), &out); err != nil || len(out.Data) != n {
		return nil, errNotVectors // the error may quote the response
	}
	vectors := make([]match.Vector, n)
	for i, d := range out.Data {
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= n || vectors[i] != nil {
			return nil, errNotVectors
		}
		v, err := match.Quantise(d.Embedding)
		if err != nil {
			return nil, fmt.Errorf("the service responded with a vector that cannot be used: %w", err)
		}
		vectors[i] = v
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, errNotVectors
		}
	}
	return vectors, nil
}
