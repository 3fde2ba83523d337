package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerTime is how long the server still answers after the client has closed its side.
const answerTime = 5 * time.Second

// Stdio serves server to one client, a message a line, until in ends or ctx is canceled. Pending requests are still
// answered: the client may be a pipe.
func Stdio(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer) error {
	p := &pipe{ctx: ctx, in: in, out: out, answered: make(chan struct{}, 1)}
	return server.Run(ctx, &mcp.IOTransport{Reader: pipeReader{p}, Writer: pipeWriter{p}})
}

type pipe struct {
	ctx      context.Context
	in       io.Reader
	out      io.Writer
	line     []byte // an incomplete line; used by the reader alone
	answered chan struct{}

	mu   sync.Mutex
	open int
}

type pipeReader struct{ *pipe }

// Read delays the end of input, because the server stops at it.
func (p pipeReader) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	p.line = append(p.line, b[:n]...)
	for {
		line, rest, found := bytes.Cut(p.line, []byte("\n"))
		if !found {
			break
		}
		p.add(requests(line))
		p.line = rest
	}
	if len(p.line) > mcp.DefaultMaxLineLength {
		p.line = nil // the server refuses it
	}
	if n > 0 && errors.Is(err, io.EOF) {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		p.add(requests(p.line))
		p.line = nil
		p.wait()
	}
	return n, err
}

func (p pipeReader) Close() error { return nil }

type pipeWriter struct{ *pipe }

func (p pipeWriter) Write(b []byte) (int, error) {
	n, err := p.out.Write(b)
	p.add(-answers(b))
	select {
	case p.answered <- struct{}{}:
	default:
	}
	return n, err
}

func (p pipeWriter) Close() error { return nil }

func (p *pipe) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open += n
}

func (p *pipe) wait() {
	late := time.NewTimer(answerTime)
	defer late.Stop()
	for {
		p.mu.Lock()
		open := p.open
		p.mu.Unlock()
		if open <= 0 {
			return
		}
		select {
		case <-p.answered:
		case <-late.C:
			return
		case <-p.ctx.Done():
			return
		}
	}
}

// Requests for notifications do not count: they last as long as the connection.
func requests(line []byte) int {
	return count(line, func(m rpcMessage) bool { return m.Method != "" && m.Method != "subscriptions/listen" })
}

func answers(line []byte) int {
	return count(line, func(m rpcMessage) bool { return m.Method == "" })
}

type rpcMessage struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
}

func count(line []byte, kind func(rpcMessage) bool) (n int) {
	var batch []rpcMessage
	if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("[")) {
		if json.Unmarshal(line, &batch) != nil {
			return 0
		}
	} else {
		batch = make([]rpcMessage, 1)
		if json.Unmarshal(line, &batch[0]) != nil {
			return 0
		}
	}
	for _, m := range batch {
		if len(m.ID) > 0 && m.ID.Kind() != 'n' && kind(m) {
			n++
		}
	}
	return n
}
