package chat

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// Connect opens the direct conversation of two accounts that have both agreed, and creates it if necessary. It adds a
// card from the server's own account.
func (s *Service) Connect(tx *store.Tx, userIDs [2]string, card store.MessageCard) (conversationID string, err error) {
	conversationID, err = openDirect(tx, userIDs[0], userIDs[1])
	if err != nil {
		return "", err
	}
	m, err := tx.SendCard(conversationID, card)
	if err != nil {
		return "", err
	}
	return conversationID, tx.Emit(store.Event{Topic: conversationID, Kind: messageCreated, ObjectID: m.ID, ActorID: m.SenderID})
}

func openDirect(tx *store.Tx, a, b string) (id string, err error) {
	id, made, err := tx.InsertDirect(a, b, "")
	if err == nil && made {
		err = changed(tx, store.Viewer{UserID: a}, id)
	}
	return id, err
}

// Reply sends a message of the caller to the direct conversation with an account that has invited it. It creates the
// conversation if necessary, and returns the message as the API shows it.
func (s *Service) Reply(tx *store.Tx, by store.Viewer, userID, content string) (conversationID string, message jsontext.Value, err error) {
	conversationID, err = openDirect(tx, by.UserID, userID)
	if err != nil {
		return "", nil, err
	}
	m := writtenBy(by, conversationID, content)
	if err := send(tx, by, &m, nil); err != nil {
		return "", nil, core.Found(err)
	}
	message, err = json.Marshal(sentBy(by, &m))
	return conversationID, message, err
}
