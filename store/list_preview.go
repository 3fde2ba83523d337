package store

// MaxPreviewImage is how many bytes the address of a picture has at most.
const MaxPreviewImage = 2048

// LinkPreview is what a page says about itself.
type LinkPreview struct {
	URL         string // the address, or another key
	Title       string
	Description string
	Image       string // an address, or ""
	SiteName    string
	FetchedAt   Time
}

// LinkPreview returns what is stored of a page by its address or another key; ErrNoRow
// if nothing is.
func (r *Reader) LinkPreview(key string) (LinkPreview, error) {
	return one[LinkPreview](r, `SELECT url, title, description, image, site_name, fetched_at FROM link_preview WHERE url = ?`, key)
}

const maxLinkPreviews = 20_000

// PutLinkPreview stores what a page says about itself. It keeps the newest 20,000 previews.
func (tx *Tx) PutLinkPreview(p LinkPreview) error {
	err := tx.exec(`INSERT INTO link_preview (url, title, description, image, site_name, fetched_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (url) DO UPDATE SET title = excluded.title, description = excluded.description, image = excluded.image,
			site_name = excluded.site_name, fetched_at = excluded.fetched_at`, p.URL, p.Title, p.Description, p.Image, p.SiteName, p.FetchedAt)
	if err == nil {
		err = tx.exec(`DELETE FROM link_preview WHERE fetched_at <= (SELECT fetched_at FROM link_preview
			WHERE fetched_at > 0 ORDER BY fetched_at DESC LIMIT 1 OFFSET ?)`, maxLinkPreviews)
	}
	return err
}
