package page

import (
	"net/http"

	"hearth/app/middleware"
)

// recorded limits and records requests for pages. Records have the pattern, because addresses may contain
// secrets.
func (s *site) recorded(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := middleware.RecorderOf(w)
		defer func() {
			if rec.Op = r.Pattern; rec.Op == "" || rec.Op == "/" {
				rec.Op = "page"
			}
			rec.Quiet = rec.Op == "GET /static/"
		}()
		if err := rec.Enter(); err != nil {
			s.fail(newVisit(w, r), err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
