package mcp

import (
	"context"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

const maxSubscriptions = 100 // of one session

type subscriptions struct {
	mu       sync.Mutex
	sessions map[*mcp.ServerSession]*subscriber
	asking   sync.Mutex // held while the rights of subscribers are read
	telling  sync.WaitGroup
	closed   bool
}

type subscriber struct {
	viewer  store.Viewer
	uris    map[string]bool
	waiting map[string]bool // URIs with news that are not sent yet
	sending sync.Mutex
}

func (u *subscriptions) add(session *mcp.ServerSession, v store.Viewer, uri string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	sub := u.sessions[session]
	if sub == nil {
		sub = &subscriber{uris: map[string]bool{}, waiting: map[string]bool{}}
		u.sessions[session] = sub
		go func() {
			_ = session.Wait()
			u.mu.Lock()
			defer u.mu.Unlock()
			delete(u.sessions, session)
		}()
	}
	if sub.viewer = v; len(sub.uris) >= maxSubscriptions && !sub.uris[uri] {
		return core.New(core.TooMany, "too_many_subscriptions", "A session has at most %d subscriptions. End some of them first.",
			maxSubscriptions)
	}
	sub.uris[uri] = true
	return nil
}

func (u *subscriptions) close() {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	u.telling.Wait()
}

// Notify reports changed lists to their subscribers. It does not block, so that it can be a listener of the store.
func (s *Server) Notify(events []store.Event) {
	for _, ev := range events {
		if list.ChangesContent(ev.Kind) {
			_ = s.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: listPrefix + ev.Topic})
		}
	}
}

// A list that the session may not see is not found, like one that does not exist.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	v, err := s.connection(ctx, req.Extra)
	if err == nil {
		err = s.checkList(ctx, v, req.Params.URI)
	}
	if core.IsKind(err, core.NotFound) {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err == nil {
		err = s.subs.add(req.Session, v, req.Params.URI)
	}
	return s.protocolError(ctx, err)
}

func (s *Server) checkList(ctx context.Context, by store.Viewer, uri string) error {
	id, ok := strings.CutPrefix(uri, listPrefix)
	if !ok || !store.ValidID(id) {
		return core.ErrNotFound
	}
	_, err := s.cfg.List.CheckList.Call(ctx, by, list.GetListIn{ID: id})
	return err
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	if sub := s.subs.sessions[req.Session]; sub != nil {
		delete(sub.uris, req.Params.URI)
	}
	return nil
}

// The SDK would send to one session after the other and wait for a slow one. News of a list go only to sessions that
// may still see it, and those that wait to be sent are sent once.
func (s *Server) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		p, news := req.GetParams().(*mcp.ResourceUpdatedNotificationParams)
		session, ok := req.GetSession().(*mcp.ServerSession)
		if !news || !ok || !strings.HasPrefix(p.URI, listPrefix) {
			return next(ctx, method, req)
		}
		u := s.subs
		u.mu.Lock()
		defer u.mu.Unlock()
		sub := u.sessions[session]
		if u.closed || sub == nil || sub.waiting[p.URI] {
			return nil, nil
		}
		sub.waiting[p.URI] = true
		u.telling.Go(func() {
			sub.sending.Lock()
			defer sub.sending.Unlock()
			u.mu.Lock()
			delete(sub.waiting, p.URI)
			v := sub.viewer
			u.mu.Unlock()
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
			defer cancel()
			if s.mayHear(ctx, v, p.URI) {
				_, _ = next(ctx, method, req)
			}
		})
		return nil, nil
	}
}

func (s *Server) mayHear(ctx context.Context, v store.Viewer, uri string) bool {
	s.subs.asking.Lock()
	defer s.subs.asking.Unlock()
	return s.checkList(ctx, v, uri) == nil
}
