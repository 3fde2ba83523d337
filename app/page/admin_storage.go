package page

import (
	"hearth/app/admin"
	"hearth/app/core"
)

type adminStorageView struct {
	adminFrame
	Storage admin.Storage
	Shares  []shareView
}

type shareView struct {
	Kind  string
	Bytes int64
	Share int64
}

// adminStorage measures after the page's reads, because measuring a large database may take long.
func (s *site) adminStorage(v *visit) error {
	view := new(adminStorageView)
	v.then(func() error {
		view.Storage = get(v, s.Admin.GetStorage, core.None{})
		view.Shares = sharesOf(view.Storage.Kinds)
		return v.err
	})
	return s.adminPage(v, "Storage", "storage", view)
}

func sharesOf(kinds []admin.StorageKind) []shareView {
	total := int64(0)
	for _, k := range kinds {
		total += k.Bytes
	}
	return core.Map(kinds, func(k admin.StorageKind) shareView {
		return shareView{kindLabel(k.Kind), k.Bytes, (100*k.Bytes + total/2) / max(total, 1)}
	})
}

func kindLabel(kind string) string {
	if label := map[string]string{
		"accounts": "Accounts", "conversations": "Conversations", "messages": "Messages", "files": "Files", "search": "Search index",
		"stream": "Thoughts and Context lanes", "asks": "Asks, offers and Stories", "lists": "Lists", "events": "Events of the last seven days",
		"webhooks": "Webhooks", "administration": "Administration",
	}[kind]; label != "" {
		return label
	}
	return kind
}
