package list

import "context"

// ReadPage reads a page for somebody who has found no current preview of it.
func (s *Service) ReadPage(ctx context.Context, address string) error {
	_, err := s.readPage(ctx, address, address, "192.0.2.1")
	return err
}

// AwaitPreviews waits for the pages that are being read.
func (s *Service) AwaitPreviews() {
	s.previews.mu.Lock()
	var runs []*previewRun
	for _, run := range s.previews.running {
		runs = append(runs, run)
	}
	s.previews.mu.Unlock()
	for _, run := range runs {
		<-run.done
	}
}
