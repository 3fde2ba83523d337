package core

import "context"

type signedInKey struct{}

// NoteSignIn returns a context in which SignedIn sets userID: for the log, which else has
// only who had signed in before the request.
func NoteSignIn(ctx context.Context, userID *string) context.Context {
	return context.WithValue(ctx, signedInKey{}, userID)
}

// SignedIn notes whom the request of ctx has signed in.
func SignedIn(ctx context.Context, userID string) {
	if to, ok := ctx.Value(signedInKey{}).(*string); ok {
		*to = userID
	}
}
