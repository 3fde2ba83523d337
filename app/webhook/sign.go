package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"hearth/app/chat"
	"hearth/store"
)

// header returns the header of a delivery with the id and the body, attempted at
// a moment.
//
// X-Chat-Signature is over the body, with the secret as it is as the key. The
// webhook headers are those of Standard Webhooks, over the id, the time and the
// body, with the key of chat.SigningKey. X-Chat-Secret is the token, which signs
// nothing.
func header(w store.Webhook, id string, at time.Time, body []byte) (http.Header, error) {
	key, err := chat.SigningKey(w.Secret)
	if err != nil {
		return nil, fmt.Errorf("webhook %s: %w", w.ID, err)
	}
	seconds := strconv.FormatInt(at.Unix(), 10)
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("X-Chat-Secret", w.Token)
	h.Set("X-Chat-Signature", "sha256="+hex.EncodeToString(sum([]byte(w.Secret), string(body))))
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", seconds)
	h.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(sum(key, id, ".", seconds, ".", string(body))))
	return h, nil
}

func sum(key []byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		mac.Write([]byte(p))
	}
	return mac.Sum(nil)
}
