package core

import "context"

type signedInKey struct{}

// NoteSignIn returns a context in which SignedIn sets userID. The log needs it for requests that sign in.
func NoteSignIn(ctx context.Context, userID *string) context.Context {
	return context.WithValue(ctx, signedInKey{}, userID)
}

// SignedIn notes the account that the request of ctx has signed in.
func SignedIn(ctx context.Context, userID string) {
	if to, ok := ctx.Value(signedInKey{}).(*string); ok {
		*to = userID
	}
}
