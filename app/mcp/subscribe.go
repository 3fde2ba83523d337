package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// Notify reports changed lists to their subscribers. It does not block, so that it can be a listener of the store.
func (s *Server) Notify(events []store.Event) {
	for _, ev := range events {
		if list.ChangesContent(ev.Kind) {
			go func() {
				_ = s.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: listPrefix + ev.Topic})
			}()
		}
	}
}

// A list that the session may not see is not found, like one that does not exist.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	v := s.connection(ctx, req.Extra)
	err := s.checkList(ctx, v, req.Params.URI)
	if core.IsKind(err, core.NotFound) {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return s.protocolError(ctx, err)
	}
	if _, known := s.subscribers.Swap(req.Session, v); !known {
		go func() {
			_ = req.Session.Wait()
			s.subscribers.Delete(req.Session)
		}()
	}
	return nil
}

func (s *Server) checkList(ctx context.Context, by store.Viewer, uri string) error {
	id, ok := strings.CutPrefix(uri, listPrefix)
	if !ok || !store.ValidID(id) {
		return core.ErrNotFound
	}
	_, err := s.cfg.List.GetList.Call(ctx, by, list.GetListIn{ID: id})
	return err
}

// send keeps news of a list from sessions that may no longer see it.
func (s *Server) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if p, ok := req.GetParams().(*mcp.ResourceUpdatedNotificationParams); ok && strings.HasPrefix(p.URI, listPrefix) {
			v, ok := s.subscribers.Load(req.GetSession())
			if !ok || s.checkList(ctx, v.(store.Viewer), p.URI) != nil {
				return nil, nil
			}
		}
		return next(ctx, method, req)
	}
}
