package mcp

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

const (
	maxSubscriptions = 100 // of one session

	resourceUpdated = "notifications/resources/updated"
)

type subscriptions struct {
	mu       sync.Mutex
	sessions map[*mcp.ServerSession]*subscriber
	changed  map[string]bool                          // lists with a change to report
	news     map[*mcp.ServerSession]map[string]func() // waiting to be sent, by resource
	asking   sync.Mutex                               // held while the rights of subscribers are read
	telling  sync.WaitGroup
	closed   bool
}

type subscriber struct {
	extra *mcp.RequestExtra // has the credential of the connection
	ids   map[string]bool   // of lists
}

func newSubscriptions() *subscriptions {
	return &subscriptions{sessions: map[*mcp.ServerSession]*subscriber{}, changed: map[string]bool{}, news: map[*mcp.ServerSession]map[string]func(){}}
}

func (u *subscriptions) add(session *mcp.ServerSession, extra *mcp.RequestExtra, id string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	sub := u.sessions[session]
	if sub == nil {
		sub = &subscriber{ids: map[string]bool{}}
		u.sessions[session] = sub
	}
	sub.extra = credential(extra)
	if sub.ids[id] {
		return nil
	}
	if len(sub.ids) >= maxSubscriptions {
		return core.New(core.TooMany, "too_many_subscriptions", "A session has at most %d subscriptions. End some of them first.", maxSubscriptions)
	}
	sub.ids[id] = true
	return nil
}

func (u *subscriptions) remove(session *mcp.ServerSession, id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if sub := u.sessions[session]; sub != nil {
		if delete(sub.ids, id); len(sub.ids) == 0 {
			delete(u.sessions, session)
		}
	}
}

// The subscribers are read before open is called: a session that subscribes meanwhile may be missing from the open
// ones.
func (u *subscriptions) keep(one *mcp.ServerSession, open func() iter.Seq[*mcp.ServerSession]) {
	u.mu.Lock()
	ended := maps.Clone(u.sessions)
	u.mu.Unlock()
	delete(ended, one)
	for session := range open() {
		delete(ended, session)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for session := range ended {
		delete(u.sessions, session)
	}
}

// send replaces news of the resource that still wait. A slow session does not delay others.
func (u *subscriptions) send(session *mcp.ServerSession, uri string, send func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return
	}
	waiting, sending := u.news[session]
	if !sending {
		waiting = map[string]func(){}
		u.news[session] = waiting
		u.telling.Go(func() {
			for send := u.nextOf(session); send != nil; send = u.nextOf(session) {
				send()
			}
		})
	}
	waiting[uri] = send
}

func (u *subscriptions) nextOf(session *mcp.ServerSession) func() {
	u.mu.Lock()
	defer u.mu.Unlock()
	waiting := u.news[session]
	for uri, send := range waiting {
		if u.closed {
			break
		}
		delete(waiting, uri)
		return send
	}
	delete(u.news, session)
	return nil
}

func (u *subscriptions) close() {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	u.telling.Wait()
}

// Notify reports changed lists to their subscribers. It does not block, so that it can be a listener of the store.
// Changes in quick succession are reported once.
func (s *Server) Notify(events []store.Event) {
	u := s.subs
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, ev := range events {
		if u.closed || len(u.sessions) == 0 || u.changed[ev.Topic] || !list.ChangesContent(ev.Kind) {
			continue
		}
		u.changed[ev.Topic] = true
		u.telling.Go(func() { s.tell(ev.Topic) })
	}
}

func (s *Server) tell(id string) {
	s.subs.mu.Lock()
	delete(s.subs.changed, id)
	s.subs.mu.Unlock()
	_ = s.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: listPrefix + id})
}

// A list that the session may not see is not found, like one that does not exist.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	id, ok := strings.CutPrefix(req.Params.URI, listPrefix)
	extra := extraOf(ctx, req.Extra)
	v, err := s.connection(ctx, extra)
	if err == nil && v.SignedIn() && !s.begun.permits(req.Session.ID(), v.UserID) {
		err = core.New(core.Forbidden, "session_without_key", "This session began without a key. Begin another one with the key, and subscribe in that.")
	}
	if err == nil {
		if err = core.ErrNotFound; ok && store.ValidID(id) {
			err = s.checkList(ctx, v, id)
		}
	}
	if core.IsKind(err, core.NotFound) {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err == nil {
		s.dropEnded(req.Session)
		err = s.subs.add(req.Session, extra, id)
	}
	return s.protocolError(ctx, err)
}

func (s *Server) checkList(ctx context.Context, by store.Viewer, id string) error {
	_, err := s.cfg.List.CheckList.Call(ctx, by, list.GetListIn{ID: id})
	return err
}

// The SDK does not report ended sessions.
func (s *Server) dropEnded(but *mcp.ServerSession) { s.subs.keep(but, s.sdk.Sessions) }

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.subs.remove(req.Session, strings.TrimPrefix(req.Params.URI, listPrefix))
	return nil
}

// The SDK would send to one session after the other and wait for a slow one. News of a list go only to sessions that
// may still see it.
func (s *Server) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		p, news := req.GetParams().(*mcp.ResourceUpdatedNotificationParams)
		session, ok := req.GetSession().(*mcp.ServerSession)
		if !news || !ok || method != resourceUpdated {
			return next(ctx, method, req)
		}
		s.subs.send(session, p.URI, func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
			defer cancel()
			if id, ours := strings.CutPrefix(p.URI, listPrefix); ours && !s.mayHear(ctx, session, id) {
				return
			}
			_, _ = next(ctx, method, req)
		})
		return nil, nil
	}
}

func (s *Server) mayHear(ctx context.Context, session *mcp.ServerSession, id string) bool {
	s.subs.mu.Lock()
	sub := s.subs.sessions[session]
	var extra *mcp.RequestExtra
	if sub != nil && sub.ids[id] {
		extra = sub.extra
	}
	s.subs.mu.Unlock()
	if extra == nil {
		return false
	}
	s.subs.asking.Lock()
	defer s.subs.asking.Unlock()
	v, err := s.connection(ctx, extra)
	return err == nil && s.checkList(ctx, v, id) == nil
}

// credential keeps the part of extra that identifies the caller, so that the message can be freed.
func credential(extra *mcp.RequestExtra) *mcp.RequestExtra {
	kept := &mcp.RequestExtra{}
	if extra.Header != nil {
		kept.Header = http.Header{}
		for _, name := range []string{"Authorization", clientHeader} {
			kept.Header.Set(name, extra.Header.Get(name))
		}
	}
	return kept
}

type extraKey struct{}

func withExtra(ctx context.Context, req mcp.Request) context.Context {
	return context.WithValue(ctx, extraKey{}, req.GetExtra())
}

func extraOf(ctx context.Context, extra *mcp.RequestExtra) *mcp.RequestExtra {
	if extra == nil || extra.Header == nil {
		extra, _ = ctx.Value(extraKey{}).(*mcp.RequestExtra)
	}
	if extra == nil {
		extra = &mcp.RequestExtra{}
	}
	return extra
}
