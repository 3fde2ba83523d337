package store

// MaxReportFiles is how many bytes of files are kept with the reports of one
// account: what is deleted otherwise would stay in the storage of nobody.
const MaxReportFiles = 256 << 20

// ReportFile is a file of a message that was reported.
type ReportFile struct {
	ReportID string
	Number   int // in the message, from 0
	Attachment
}

const reportFileColumns = `f.report_id, f.number, '', f.user_id, f.blob_id, f.preview_id, f.preview_type, f.name, f.mime_type,
	f.size, f.width, f.height, f.duration_ms, 0`

// ReportFiles returns the files of a report in their order. Those who are not
// administrators get none.
func (r *Reader) ReportFiles(by Viewer, reportID string) ([]ReportFile, error) {
	return all[ReportFile](r, `SELECT `+reportFileColumns+` FROM report_file f WHERE f.report_id = ?2 AND `+reportedFile("f", "?1")+
		` ORDER BY f.number`,
		by.adminID(), reportID)
}

// ReportFile returns a file of a report; ErrNoRow without one, and for those who
// are not administrators.
func (r *Reader) ReportFile(by Viewer, reportID string, number int) (ReportFile, error) {
	return one[ReportFile](r, `SELECT `+reportFileColumns+` FROM report_file f WHERE f.report_id = ?2 AND f.number = ?3 AND `+
		reportedFile("f", "?1"),
		by.adminID(), reportID, number)
}

// keepFiles keeps the files of the message that a report is about, unless the files of
// the account's other reports take MaxReportFiles.
func (tx *Tx) keepFiles(r UserReport) error {
	if r.Attachments == "" {
		return nil
	}
	var kept int64
	if err := tx.value([]any{&kept}, `SELECT coalesce(sum(f.size), 0) FROM report p JOIN report_file f ON f.report_id = p.id
		WHERE p.reporter_id = ? /* server: storage */`,
		r.ReporterID); err != nil || kept >= MaxReportFiles {
		return err
	}
	return tx.exec(`INSERT INTO report_file SELECT ?1, j.key, a.user_id, a.blob_id, a.preview_id, a.preview_type, a.name, a.mime_type,
		a.size, a.width, a.height, a.duration_ms
		FROM json_each(?2) j JOIN attachment a ON a.id = j.value ->> 'id' /* server: of a message that the account sees */`, r.ID, r.Attachments)
}
