// Package embedtest has a service that computes vectors, for tests.
package embedtest

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/match"
)

// Service is an OpenAI-compatible service on the loopback interface. Two texts have similar vectors if they share a
// topic. It is safe for concurrent use.
type Service struct {
	URL string

	mu         sync.Mutex
	topics     map[string]int
	dimensions int
	answer     http.HandlerFunc
	requests   []Request
}

// Request is a request that the service received.
type Request struct {
	Path, Key string
	Body      string
	Model     string   `json:"model"`
	Input     []string `json:"input"`
}

// New starts a service until the test ends. A text that is not in topics has its own topic.
func New(t testing.TB, topics map[string]int) *Service {
	s := &Service{topics: topics, dimensions: 256}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Answer makes the service answer with f, or normally if f is nil.
func (s *Service) Answer(f http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// SetDimensions sets the length of the vectors. It is 256 at first.
func (s *Service) SetDimensions(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dimensions = n
}

// Requests returns the requests received.
func (s *Service) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Sent returns the received texts, without match.ReferenceTexts.
func (s *Service) Sent() (texts []string) {
	reference := match.ReferenceTexts()
	for _, r := range s.Requests() {
		for _, text := range r.Input {
			if !slices.Contains(reference, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	req := Request{Path: r.Method + " " + r.URL.Path, Key: r.Header.Get("Authorization"), Body: string(body)}
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	answer := s.answer
	s.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	s.Respond(w, req.Input)
}

// Respond responds with the vectors of texts.
func (s *Service) Respond(w http.ResponseWriter, input []string) {
	type vector struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var out struct {
		Object string   `json:"object"`
		Data   []vector `json:"data"`
	}
	out.Object = "list"
	for n, text := range input {
		out.Data = append(out.Data, vector{"embedding", n, s.Vector(text)})
	}
	w.Header().Set("Content-Type", "application/json")
	json.MarshalWrite(w, out)
}

// Vector returns the vector of a text: a direction for its topic, and a tenth of its own.
func (s *Service) Vector(text string) []float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := fnv.New64a()
	io.WriteString(h, text)
	topic, ok := s.topics[text]
	if n := slices.Index(match.ReferenceTexts(), text); n >= 0 {
		topic, ok = -1-n/2, true
	}
	rng := rand.New(rand.NewPCG(uint64(int64(topic)), 1))
	if !ok {
		rng = rand.New(rand.NewPCG(h.Sum64(), 2))
	}
	own := rand.New(rand.NewPCG(h.Sum64(), 3))
	v := make([]float64, s.dimensions)
	for i := range v {
		v[i] = rng.NormFloat64() + 0.1*own.NormFloat64()
	}
	return v
}
