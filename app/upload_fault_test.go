//go:build linux

package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearth/app/file"
	"hearth/store"
	"hearth/store/storetest"
)

// Uploads that end in the middle, because the client vanishes or the server is
// killed, leave no row, no temporary file and no use of a quota.
func TestUploadsCutOff(t *testing.T) {
	t.Parallel() // most of it is waiting
	dir, temp := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "hearth.db")
	people := clients(t, path, 2)
	program := storetest.Program(t)
	rounds := storetest.Rounds(1, 30)
	killed := 0
	for range rounds {
		cmd := exec.Command(program, serveArgs(path)...)
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		p := serve(t, cmd)
		for i := range 40 { // more than one account may send at once
			p.vanish(t, people[0], 8<<20, rand.IntN(1<<(10+i%12)))
		}
		p.untilUploaded(t, people[0])
		killed += killWhileUploading(t, p, path, people)
		if names, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(names) > 0 {
			t.Errorf("in the folder for temporary files: %v %v", names, err)
		}
		wantNothingLeft(t, path)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills, after which %d uploads were incomplete", rounds, killed)
	if killed == 0 {
		t.Error("no upload was incomplete when the server was killed, so the test proves nothing")
	}
}

// vanish sends the beginning of an upload of size bytes and closes the connection.
func (p *process) vanish(t *testing.T, who *client, size, sent int) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	head := fmt.Sprintf("POST /api/chat/attachments HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: multipart/form-data; "+
		"boundary=x\r\nContent-Length: %d\r\n\r\n",
		strings.TrimPrefix(p.base, "http://"), who.key, size)
	if _, err := io.WriteString(conn, head+uploadHead+strings.Repeat("x", sent)); err != nil {
		t.Fatal(err)
	}
}

const (
	uploadHead = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
	uploadEnd  = "\r\n--x--\r\n"
)

// upload sends a text of size bytes and returns the status; 0 without a response.
func (p *process) upload(who *client, size int) int {
	text := make([]byte, size)
	for i := range text {
		text[i] = byte('a' + rand.IntN(26))
	}
	body := io.MultiReader(strings.NewReader(uploadHead), bytes.NewReader(text), strings.NewReader(uploadEnd))
	req, err := http.NewRequest("POST", p.base+"/api/chat/attachments", body)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer "+who.key)
	req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	res, err := p.client.Do(req)
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// untilUploaded waits until the server has noticed that clients are gone, and
// takes a file.
func (p *process) untilUploaded(t *testing.T, who *client) {
	t.Helper()
	end := time.Now().Add(patience)
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		status := p.upload(who, 10)
		if status == http.StatusCreated {
			return
		}
		if status != http.StatusTooManyRequests || time.Now().After(end) {
			t.Fatalf("an upload after others were cut off: %d", status)
		}
	}
}

// killWhileUploading kills the server when parts of files are in the database,
// and returns how many blobs are incomplete.
func killWhileUploading(t *testing.T, p *process, path string, people []*client) (incomplete int) {
	t.Helper()
	done := make(chan int, 4)
	for i := range cap(done) {
		go func() { done <- p.upload(people[i%len(people)], 4<<20) }()
	}
	const parts = `SELECT count(*) FROM blob_part`
	enough, end := count(t, path, parts)+20, time.Now().Add(patience)
	for tick := time.NewTicker(time.Millisecond); count(t, path, parts) < enough; <-tick.C {
		if time.Now().After(end) {
			t.Fatal("nothing is stored")
		}
	}
	p.kill()
	for range cap(done) {
		if status := <-done; status != 0 && status != http.StatusCreated {
			t.Errorf("an upload while the server is killed: %d", status)
		}
	}
	return count(t, path, `SELECT count(*) FROM blob WHERE hash IS NULL`)
}

// count returns the one number of a query on the file.
func count(t *testing.T, path, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// wantNothingLeft does what the next start does, and checks that only complete
// files are there.
func wantNothingLeft(t *testing.T, path string) {
	t.Helper()
	db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	files, err := file.New(file.Config{DB: db})
	if err == nil {
		err = files.Prune(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		`SELECT count(*) FROM blob WHERE hash IS NULL`,
		`SELECT count(*) FROM blob_part WHERE id / 65536 NOT IN (SELECT id FROM blob)`,
		`SELECT count(*) FROM blob WHERE id NOT IN (SELECT blob_id FROM attachment)`,
		`SELECT (SELECT sum(storage_used) FROM user) - (SELECT coalesce(sum(size), 0) FROM attachment)`,
	} {
		if n := count(t, path, query); n != 0 {
			t.Errorf("%s: %d", query, n)
		}
	}
	if broken, err := db.Check(context.Background()); err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
	if left, err := filepath.Glob(path + ".upload-*"); err != nil || len(left) > 0 {
		t.Errorf("beside the database: %v %v", left, err)
	}
}
