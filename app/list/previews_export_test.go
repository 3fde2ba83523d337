package list

import "context"

// AwaitPreview waits for the page that is being read for an item of a list.
func (s *Service) AwaitPreview(listID, address string) {
	s.readPage(context.Background(), listPreview(listID, address), address, unasked)
}
