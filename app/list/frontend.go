package list

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

const maxReportedError = 4 << 10

// LogErrorIn is an error in a script of a page.
type LogErrorIn struct {
	Level   string `json:"level" required:"true" enum:"debug|info|warn|error"`
	Message string `json:"message" required:"true" max:"4096" line:"true"`
	Stack   string `json:"stack" max:"4096"`
	URL     string `json:"url" max:"2048" line:"true" doc:"The address of the page, without its query."`
}

// logError returns TooLarge for more than 4 KiB.
func (s *Service) logError(ctx context.Context, by store.Viewer, in LogErrorIn) (core.None, error) {
	if len(in.Message)+len(in.Stack)+len(in.URL) > maxReportedError {
		return core.None{}, core.New(core.TooLarge, "too_large", "An error has at most 4 KiB of text. Send the beginning of the stack.")
	}
	// Anybody can send these texts: they are quoted, and do not set the level.
	s.log.Warn("error in a browser", "level", in.Level, "message", in.Message, "stack", in.Stack, "url", in.URL, "account", by.UserID)
	return core.None{}, nil
}
