package admin

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

const (
	// sizesLife is the lifetime of measured sizes: measuring takes about 0.6 s for a gigabyte.
	sizesLife  = 10 * time.Minute
	maxLargest = 20
)

// Storage is the storage in use, in bytes.
type Storage struct {
	DatabaseBytes int64            `json:"databaseBytes" doc:"Size of the database file."`
	LogBytes      int64            `json:"logBytes" doc:"Size of its write-ahead log."`
	FreeBytes     int64            `json:"freeBytes" doc:"Part of the database file that is not in use and is filled first."`
	Kinds         []StorageKind    `json:"kinds" doc:"What the database holds, with its indexes, the largest first."`
	MeasuredAt    store.Time       `json:"measuredAt" doc:"When kinds was measured, at most ten minutes ago."`
	Accounts      []StorageAccount `json:"accounts" doc:"The accounts with the most bytes of files, up to 20."`
	Disk          *StorageDisk     `json:"disk" doc:"Null for a command on the server."`
	Quotas        *StorageQuotas   `json:"quotas" doc:"Null for a command on the server: they are set where it is started."`
}

// StorageQuotas are limits in bytes. At a limit, nothing new is stored.
type StorageQuotas struct {
	Account int64 `json:"account" doc:"Of the files of each account and its bots (--quota-account)."`
	Server  int64 `json:"server" doc:"Of the database file (--quota-server); 0 without a limit."`
}

// StorageDisk is the file system of the database.
type StorageDisk struct {
	FreeBytes    *int64     `json:"freeBytes" doc:"Null if it is not known."`
	ReserveBytes int64      `json:"reserveBytes" doc:"When less is free, nothing new is stored; 0 without a watched disk."`
	State        file.State `json:"state" enum:"ok|low|full" doc:"low when less than four times the reserve is free."`
}

func diskOf(files *file.Store) *StorageDisk {
	if files == nil {
		return nil
	}
	d := files.Disk()
	out := &StorageDisk{ReserveBytes: d.Reserve, State: d.State}
	if d.Free >= 0 {
		out.FreeBytes = &d.Free
	}
	return out
}

// StorageKind is the size of a kind of content.
type StorageKind struct {
	Kind  string `json:"kind" enum:"accounts|conversations|messages|files|search|stream|asks|lists|events|webhooks|administration"`
	Bytes int64  `json:"bytes"`
}

// StorageAccount is the size of an account's files.
type StorageAccount struct {
	Ref
	Bytes int64 `json:"bytes"`
}

func (s *Service) getStorage(ctx context.Context, by store.Viewer, _ core.None) (out Storage, err error) {
	err = s.cfg.DB.ReadLong(ctx, func(r *store.Reader) error {
		rows, err := r.LargestAccounts(by, maxLargest)
		out.Accounts = core.Map(rows, func(a store.Account) StorageAccount {
			return StorageAccount{Ref: Ref{ID: a.ID, Name: a.Name}, Bytes: a.StorageUsed}
		})
		return err
	})
	if err != nil {
		return out, err
	}
	files, err := s.cfg.DB.FileSizes(ctx)
	if err != nil {
		return out, err
	}
	out.DatabaseBytes, out.LogBytes, out.FreeBytes, out.Quotas = files.Database, files.Log, files.Free, s.cfg.Quotas
	out.Disk = diskOf(s.cfg.Files)
	out.Kinds, out.MeasuredAt, err = s.sizes.measured(ctx, s.cfg.DB)
	return out, err
}

type sizes struct {
	mu    sync.Mutex
	kinds []StorageKind
	at    store.Time
}

// measured returns the sizes and their time. Concurrent callers share a measurement.
func (s *sizes) measured(ctx context.Context, db *store.DB) ([]StorageKind, store.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := db.Now()
	if age := now.Sub(s.at); s.at != 0 && age >= 0 && age < sizesLife {
		return s.kinds, s.at, nil
	}
	var tables []store.TableSize
	err := db.ReadLong(ctx, func(r *store.Reader) (err error) {
		tables, err = r.TableSizes()
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	s.kinds, s.at = kindsOf(tables), now
	return s.kinds, s.at, nil
}

func kindsOf(tables []store.TableSize) (kinds []StorageKind) {
	sum := map[string]int64{}
	for _, t := range tables {
		sum[cmp.Or(kindOf(t.Table), "administration")] += t.Bytes // such as SQLite's own tables
	}
	for kind, bytes := range sum {
		kinds = append(kinds, StorageKind{kind, bytes})
	}
	sort.Slice(kinds, func(i, j int) bool {
		a, b := kinds[i], kinds[j]
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Kind, b.Kind)) < 0
	})
	return kinds
}

// tablesOf are the tables of each kind.
var tablesOf = map[string]string{
	"accounts": "user user_word session login_link push push_preference push_subscription api_key key_use erased quota community_invite " +
		"block found_person friend friend_cooldown card secretary secretary_answer",
	"conversations": "conversation conversation_change former_member member invite",
	"messages":      "message reaction mention message_attachment",
	"files":         "blob blob_part attachment picture",
	"stream":        "thought thought_pin thought_collapsed context_post context_key context_request context_intention",
	"asks": "intent intent_vector intent_audience intent_match intent_draft story story_audience story_new approval_grant " +
		"social_preference",
	"lists":          "list list_member item item_star item_comment held_item item_receipt link_preview",
	"events":         "event",
	"webhooks":       "webhook delivery",
	"administration": "report report_file feedback audit setting clock sequence job idempotency",
	"search":         "word_queue",
}

// kindOf returns "" for an unknown table.
func kindOf(table string) string {
	for _, index := range []string{"message_word", "list_word", "item_word"} {
		if strings.HasPrefix(table, index) { // or a table of the index
			return "search"
		}
	}
	for kind, tables := range tablesOf {
		if slices.Contains(strings.Fields(tables), table) {
			return kind
		}
	}
	return ""
}
