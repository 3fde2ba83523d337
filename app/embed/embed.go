// Package embed asks an OpenAI-compatible service of the operator for vectors of asks and offers, for matching.
package embed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hearth/app/match"
)

// Config is what New needs.
type Config struct {
	URL      string   // of the service, without /v1/embeddings
	Model    string   // its name there
	Key      string   // sent as a bearer token; "" sends none
	AllowNet []string // as for fetch.NewDialer; the host of URL is allowed anyway
	Log      *slog.Logger
}

// Service computes vectors. It is safe for concurrent use.
type Service struct {
	client *client
	log    *slog.Logger

	mu         sync.Mutex
	dimensions int // of the model; 0 until it is measured
	scale      match.Scale
	failing    bool
}

// New returns a service that has not been asked yet. Invalid settings are an error.
func New(c Config) (*Service, error) {
	if c.Model == "" {
		return nil, fmt.Errorf("--embed-url needs --embed-model, the name of a model of that service")
	}
	if utf8.RuneCountInString(c.Model) > 200 || strings.ContainsFunc(c.Model, unicode.IsControl) || !utf8.ValidString(c.Model) {
		return nil, fmt.Errorf("--embed-model must be a name of at most 200 characters")
	}
	client, err := newClient(&c)
	if err != nil {
		return nil, err
	}
	return &Service{client: client, log: c.Log}, nil
}

// Model implements social.Embedder. Vectors of different models are never compared.
func (s *Service) Model() (id string, scale match.Scale) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dimensions == 0 {
		return "", scale
	}
	return s.client.model + " " + strconv.Itoa(s.dimensions), s.scale
}

// Failing implements social.Embedder.
func (s *Service) Failing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failing
}

var errUseless = errors.New("the vectors of the model of --embed-model do not tell texts about one thing from texts about different things")

// Measure implements social.Embedder: it asks for the vectors of match.ReferenceTexts.
func (s *Service) Measure(ctx context.Context) bool {
	if model, _ := s.Model(); model != "" {
		return true
	}
	reference, err := s.client.vectors(ctx, match.ReferenceTexts())
	scale, ok := match.NewScale(reference)
	if err == nil && !ok {
		err = errUseless
	}
	if s.note(err); err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dimensions, s.scale = len(reference[0]), scale
	return true
}

// Vectors returns the vectors of the texts of an intent. Nothing else of it leaves the server.
func (s *Service) Vectors(ctx context.Context, texts [3]string) (out match.Vectors, err error) {
	var input []string
	for _, text := range texts {
		if text != "" {
			input = append(input, text)
		}
	}
	if len(input) == 0 {
		return out, nil
	}
	all, err := s.client.vectors(ctx, input)
	if s.note(err); err != nil {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(all[0]) != s.dimensions {
		s.dimensions = 0 // another model under the same name, to be measured again
		return out, errNotVectors
	}
	for side, text := range texts {
		if text != "" {
			out[side], all = all[0], all[1:]
		}
	}
	return out, nil
}

// note logs when the service begins to fail, and when it works again.
func (s *Service) note(err error) {
	if errors.Is(err, errRefused) || errors.Is(err, context.Canceled) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && !s.failing:
		s.log.Warn("asks and offers are matched without vectors until --embed-url can be used again", "error", err)
	case err == nil && s.failing:
		s.log.Info("asks and offers are matched by vectors again")
	}
	s.failing = err != nil
}
