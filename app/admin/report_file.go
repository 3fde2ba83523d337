package admin

import (
	"context"
	"fmt"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// ReportFile is a file of a reported message.
type ReportFile struct {
	URL        string `json:"url"`
	PreviewURL string `json:"previewUrl,omitzero" doc:"A smaller picture of a large one"`
	MimeType   string `json:"mimeType"`
	Name       string `json:"name"`
	Size       int64  `json:"size" doc:"In bytes"`
	Width      int    `json:"width,omitzero" doc:"In pixels"`
	Height     int    `json:"height,omitzero" doc:"In pixels"`
	DurationMs int    `json:"durationMs,omitzero"`
}

func reportFileOf(f store.ReportFile) ReportFile {
	out := ReportFile{
		URL:      fmt.Sprintf("/api/admin/reports/%s/files/%d", f.ReportID, f.Number),
		MimeType: f.MimeType, Name: f.Name, Size: f.Size, Width: f.Width, Height: f.Height, DurationMs: f.DurationMs,
	}
	if f.PreviewID != 0 {
		out.PreviewURL = out.URL + "?preview=true"
	}
	return out
}

func (s *Service) getReport(r *store.Reader, by store.Viewer, in ReportIn) (out Report, err error) {
	c, err := r.ReportCase(by, in.ID)
	if err != nil {
		return out, err
	}
	out = reportOf(c)
	files, err := r.ReportFiles(by, in.ID)
	out.Files = core.Map(files, reportFileOf)
	return out, err
}

// GetReportFileIn names a file of a report.
type GetReportFileIn struct {
	ID      string `path:"id" json:"-"`
	Number  int    `path:"number" json:"-"`
	Preview bool   `query:"preview" json:"-" doc:"The smaller picture of a large one"`
}

// getReportFile returns a file of a reported message. The file is kept with the report until the sender's
// account is deleted.
func (s *Service) getReportFile(ctx context.Context, by store.Viewer, in GetReportFileIn) (out *file.Served, err error) {
	err = s.cfg.DB.Read(ctx, func(r *store.Reader) error {
		f, err := r.ReportFile(by, in.ID, in.Number)
		if err != nil {
			return err
		}
		out, err = s.cfg.Files.Serve(ctx, r, file.Stored{
			BlobID: f.BlobID, Size: f.Size, Name: f.Name, MimeType: f.MimeType, PreviewID: f.PreviewID, PreviewType: f.PreviewType,
		}, in.Preview)
		return err
	})
	return out, core.Found(err)
}
