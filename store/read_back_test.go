package store_test

import (
	"reflect"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// readBack is a write of one row, and what reads the row.
type readBack struct {
	name    string
	write   func(tx *store.Tx) (any, error)
	read    func(r *store.Reader) (any, error)
	changes bool // a row that was added before
}

// newID is that of each row.
const newID = "10000000-0000-4000-8000-000000000001"

// credentialsBack writes an account, a session and an answer of a secretary.
func credentialsBack(by store.Viewer) []readBack {
	user := store.User{ID: newID, Email: "new@example.org", Name: "New", SignupProvider: "test"}
	session := store.Session{ID: newID, UserID: by.UserID, Kind: "browser", TokenHash: "h", Epoch: 1, UserAgent: "x", ExpiresAt: 1 << 60}
	answer := store.SecretaryAnswer{ID: newID, UserID: by.UserID, Question: "q", Answer: "a"}
	readUser := func(r *store.Reader) (any, error) { return r.User(newID) }
	readAnswer := func(r *store.Reader) (any, error) { return r.SecretaryAnswer(by, newID) }
	return []readBack{
		{"an account", func(tx *store.Tx) (_ any, err error) { user, err = tx.InsertUser(user); return user, err }, readUser, false},
		{"an account that changes", func(tx *store.Tx) (_ any, err error) {
			user.Name, user.StatusText, user.Epoch = "Newer", "here", user.Epoch+1
			user, err = tx.UpdateUser(user)
			return user, err
		}, readUser, true},
		{"an answer", func(tx *store.Tx) (_ any, err error) {
			answer, err = tx.InsertSecretaryAnswer(answer)
			return answer, err
		}, readAnswer, false},
		{"an answer that changes", func(tx *store.Tx) (_ any, err error) {
			answer.Question, answer.Answer = "q2", "a2"
			answer, err = tx.UpdateSecretaryAnswer(answer)
			return answer, err
		}, readAnswer, true},
		{"a session", func(tx *store.Tx) (any, error) { return tx.InsertSession(session) }, func(r *store.Reader) (any, error) {
			s, err := r.SessionUser(newID)
			return s.Session, err
		}, false},
	}
}

// contentBack writes a thought and a Story.
func contentBack(by store.Viewer) []readBack {
	thought := store.Thought{ID: newID, UserID: by.UserID, Text: "x", Kind: "fact", Status: "none", Tags: []string{"a"}}
	intent := store.Intent{ID: newID, OwnerID: by.UserID, Kind: "ask", Terms: "x", Seeks: []string{"x"}, Brings: []string{},
		MatchingMode: "fulfillment", Status: "active", ExpiresAt: 1 << 60}
	story := store.Story{ID: newID, OwnerID: by.UserID, Text: "x", Status: "active", StoryExpiresAt: 1 << 60, SearchExpiresAt: 1 << 60}
	readThought := func(r *store.Reader) (any, error) { return r.Thought(by, newID) }
	readStory := func(r *store.Reader) (any, error) { return r.Story(by, newID) }
	return []readBack{
		{"a thought", func(tx *store.Tx) (any, error) { err := tx.InsertThought(&thought); return thought, err }, readThought, false},
		{"a thought that changes", func(tx *store.Tx) (any, error) {
			thought.Text, thought.Kind, thought.Status, thought.Tags = "y", "reminder", "open", []string{"b", "c"}
			err := tx.UpdateThought(&thought)
			return thought, err
		}, readThought, true},
		{"an intent", func(tx *store.Tx) (any, error) {
			err := tx.InsertIntent(&intent)
			story.Intent = intent
			return intent, err
		}, func(r *store.Reader) (any, error) { return r.Intent(by, newID) }, false},
		{"a Story", func(tx *store.Tx) (any, error) { err := tx.InsertStory(&story); return story, err }, readStory, false},
		{"a Story that changes", func(tx *store.Tx) (any, error) {
			story.Status, story.StoryExpiresAt, story.SearchExpiresAt = "paused", 1<<59, 1<<58
			err := tx.UpdateStory(&story)
			return story, err
		}, readStory, true},
	}
}

// What a write that adds or changes a row returns is what is read afterwards, with the
// times of the writes.
func TestWritesReturnWhatIsRead(t *testing.T) {
	t.Parallel()
	db := storetest.OpenEmpty(t)
	by := storetest.Human(storetest.People(t, db).Ada)
	var created store.Time
	for _, c := range append(credentialsBack(by), contentBack(by)...) {
		db.Clock.Advance(time.Second)
		write(t, db, func(tx *store.Tx) error {
			returned, err := c.write(tx)
			if err != nil {
				return err
			}
			got, err := c.read(&tx.Reader)
			if err != nil || !reflect.DeepEqual(got, returned) {
				t.Errorf("%s: returned\n%+v, read\n%+v, %v", c.name, returned, got, err)
			}
			if !c.changes {
				created = tx.Now
			}
			row := reflect.ValueOf(got)
			if at := store.Time(row.FieldByName("CreatedAt").Int()); at != created {
				t.Errorf("%s: created at %v, not %v", c.name, at, created)
			}
			if at := row.FieldByName("UpdatedAt"); at.IsValid() && store.Time(at.Int()) != tx.Now {
				t.Errorf("%s: updated at %v, not %v", c.name, store.Time(at.Int()), tx.Now)
			}
			if epoch := row.FieldByName("Epoch"); epoch.IsValid() && epoch.Int() < 1 {
				t.Errorf("%s: its epoch is %d", c.name, epoch.Int())
			}
			return nil
		})
	}
}
