package cli

import (
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"hearth/store"
)

// progress is nil if w is not a terminal. Call done before printing anything else.
func progress(w io.Writer) (p store.Progress, done func()) {
	f, ok := w.(*os.File)
	if !ok || !isatty.IsTerminal(f.Fd()) {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	var now string
	done = func() {
		if bar != nil {
			bar.Clear()
		}
	}
	return func(doing string, at, total int64) {
		if doing != now {
			done()
			now = doing
			if total == 0 {
				total = -1
			}
			bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(doing),
				progressbar.OptionShowBytes(total > 0), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		}
		bar.Set64(at)
	}, done
}
