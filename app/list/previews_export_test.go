package list

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
