package mcp

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerTime is how long the server still answers after the client has closed its side.
const answerTime = 5 * time.Second

// Stdio serves one client, a message a line, until in ends or ctx is canceled. Pending requests are still answered: the
// client may be a pipe.
func (r *Remote) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return r.sdk.Run(ctx, pipe{&mcp.IOTransport{Reader: io.NopCloser(in), Writer: struct {
		io.Writer
		io.Closer
	}{out, io.NopCloser(in)}}})
}

type pipe struct{ mcp.Transport }

func (p pipe) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	return &pipeConnection{Connection: c}, err
}

type pipeConnection struct {
	mcp.Connection
	open atomic.Int64 // requests without an answer
}

// Read delays the end of input, because the server stops at it. Requests for notifications do not count: they last as
// long as the connection.
func (c *pipeConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if req, ok := m.(*jsonrpc.Request); ok && req.IsCall() && req.Method != listen {
		c.open.Add(1)
	}
	if errors.Is(err, io.EOF) {
		for end := time.Now().Add(answerTime); c.open.Load() > 0 && ctx.Err() == nil && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
	}
	return m, err
}

func (c *pipeConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		c.open.Add(-1)
	}
	return err
}
