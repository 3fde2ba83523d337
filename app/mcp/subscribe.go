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

// subscriptions has who wants to be told that a list changed.
type subscriptions struct {
	mu       sync.Mutex
	sessions map[*mcp.ServerSession]*subscriber
	lists    map[string]*watched
	news     map[*mcp.ServerSession]map[string]func() // that waits to be sent, by the resource
	asking   sync.Mutex                               // of the database who may be told: one at a time
	telling  sync.WaitGroup
	closed   bool
}

// subscriber is a session with subscriptions.
type subscriber struct {
	extra *mcp.RequestExtra // has the credential of the connection
	ids   map[string]bool   // of lists
}

// watched is a list that somebody is subscribed to.
type watched struct {
	sessions int
	changed  bool // since they were told last
	telling  bool // they are being told
}

func newSubscriptions() *subscriptions {
	return &subscriptions{sessions: map[*mcp.ServerSession]*subscriber{}, lists: map[string]*watched{}, news: map[*mcp.ServerSession]map[string]func(){}}
}

// add subscribes a session to a list.
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
	if u.lists[id] == nil {
		u.lists[id] = &watched{}
	}
	u.lists[id].sessions++
	return nil
}

// remove ends a subscription.
func (u *subscriptions) remove(session *mcp.ServerSession, id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if sub := u.sessions[session]; sub != nil && sub.ids[id] {
		u.drop(sub, id)
		if len(sub.ids) == 0 {
			delete(u.sessions, session)
		}
	}
}

// keep ends the subscriptions of all sessions but one and those that open returns. The
// subscribers are read before it is called: a session that subscribes meanwhile may not be
// among those that it returns.
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
	for session, sub := range ended {
		for id := range sub.ids {
			u.drop(sub, id)
		}
		delete(u.sessions, session)
	}
}

func (u *subscriptions) drop(sub *subscriber, id string) {
	delete(sub.ids, id)
	if l := u.lists[id]; l != nil {
		if l.sessions--; l.sessions == 0 && !l.telling {
			delete(u.lists, id)
		}
	}
}

// next reports whether a list changed since its subscribers were told, and that
// they are being told now. If it did not they are no longer being told.
func (u *subscriptions) next(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	l := u.lists[id]
	if l.changed && !u.closed {
		l.changed = false
		return true
	}
	if l.telling = false; l.sessions == 0 {
		delete(u.lists, id)
	}
	return false
}

// send sends the news of a resource to a session soon, in place of those that wait. Those
// of each session are sent one after the other, while others have theirs.
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

// nextOf takes news that wait for a session; nil if there are none.
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

// close has nobody told any more.
func (u *subscriptions) close() {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	u.telling.Wait()
}

// Notify tells those who are subscribed to them that lists changed. It does not
// block, so that it can be one of the store's listeners after a commit. Changes
// that follow each other closely are told once.
func (s *Server) Notify(events []store.Event) {
	u := s.subs
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, ev := range events {
		l := u.lists[ev.Topic]
		if l == nil || u.closed || !list.ChangesContent(ev.Kind) {
			continue
		}
		if l.changed = true; !l.telling {
			l.telling = true
			u.telling.Go(func() { s.tell(ev.Topic) })
		}
	}
}

func (s *Server) tell(id string) {
	for s.subs.next(id) {
		_ = s.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: listPrefix + id})
	}
}

// subscribe subscribes a session to a list that its connection may read. What it
// may not see is not found, exactly as what does not exist.
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

// dropEnded ends the subscriptions of sessions that ended: the SDK does not tell.
func (s *Server) dropEnded(but *mcp.ServerSession) { s.subs.keep(but, s.sdk.Sessions) }

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.subs.remove(req.Session, strings.TrimPrefix(req.Params.URI, listPrefix))
	return nil
}

// send sends the news of resources on their own: the SDK tells one session after the
// other, and would wait for one that does not read. It keeps the news of a list from those
// who may no longer see it.
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

// mayHear reports whether a session may still see a list.
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

// credential returns of what came with a request what says who sent it: the rest is not
// kept, with the message.
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

// withExtra returns a context with what came with a request, for handlers that
// the SDK gives less.
func withExtra(ctx context.Context, req mcp.Request) context.Context {
	return context.WithValue(ctx, extraKey{}, req.GetExtra())
}

// extraOf returns what came with a request; it is never nil.
func extraOf(ctx context.Context, extra *mcp.RequestExtra) *mcp.RequestExtra {
	if extra == nil || extra.Header == nil {
		extra, _ = ctx.Value(extraKey{}).(*mcp.RequestExtra)
	}
	if extra == nil {
		extra = &mcp.RequestExtra{}
	}
	return extra
}
