package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/app/push/pushtest"
)

func pushCases() map[string]matrixCase {
	return map[string]matrixCase{
		"GET /api/push":                          free("/api/push", "", 200),
		"PUT /api/push/view":                     free("/api/push/view", `{"inView":true}`, 204),
		"GET /api/notifications":                 free("/api/notifications", "", 200),
		"PATCH /api/notifications":               free("/api/notifications", `{"hideContent":true}`, 200),
		"GET /api/push/subscriptions":            free("/api/push/subscriptions", "", 200),
		"POST /api/push/subscriptions":           free("/api/push/subscriptions", subscription("https://push.example/new", "Phone"), 201),
		"DELETE /api/push/subscriptions/{id}":    private("/api/push/subscriptions/$id:subscription", "", 204),
		"POST /api/push/subscriptions/{id}/test": private("/api/push/subscriptions/$id:subscription/test", "", 200),
	}
}

// subscription is the body that subscribes a browser, with the keys of the example in RFC 8291.
func subscription(endpoint, name string) string {
	return fmt.Sprintf(`{"endpoint":%q,"name":%q,"keys":{"auth":"BTBZMqHH6r4Tts7J_aSIgg",
		"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}`, endpoint, name)
}

// pushWorld is a server that may send to a push service on loopback.
func pushWorld(t *testing.T) (*world, *pushtest.Service) {
	s := pushtest.New()
	t.Cleanup(s.Close)
	return newWorld(t, func(c *app.Config) { c.AllowNet = []string{"127.0.0.1/32"} }), s
}

// subscribe subscribes a browser of a person and returns it with the id of the subscription.
func (w *world) subscribe(s *pushtest.Service, who, name string) (*pushtest.Browser, string) {
	w.t.Helper()
	b := s.Subscribe(name)
	return b, idIn(w.t, w.want(who, "POST", "/api/push/subscriptions", b.JSON(), 201, "").body)
}

// A test notification is encrypted for the browser and signed by the server.
func TestPushIsEncryptedAndSigned(t *testing.T) {
	w, s := pushWorld(t)
	b, id := w.subscribe(s, "ada", "Phone")
	_, other := w.subscribe(s, "ada", "Tablet")
	w.want("ada", "POST", "/api/push/subscriptions/"+id+"/test", ``, 200, `"sent":true,"status":201,"error":null`)
	w.want("ada", "GET", "/api/push/subscriptions", ``, 200, `"lastSentAt":"`)
	w.want("ada", "POST", "/api/push/subscriptions/"+other+"/test", ``, 200, `"sent":true`)
	got := s.Messages(b)
	if len(got) != 1 || got[0].Err != nil {
		t.Fatalf("received: %+v", got)
	}
	if want := `"body":"Notifications arrive on this device."`; !strings.Contains(got[0].Text, want) {
		t.Errorf("received %s, want %s", got[0].Text, want)
	}
	h := got[0].Header
	if h.Get("Content-Encoding") != "aes128gcm" || h.Get("TTL") == "" || len(h.Get("Topic")) != 32 || h.Get("Urgency") == "" {
		t.Errorf("header: %v", h)
	}
	if all := s.Messages(nil); all[0].Header.Get("Topic") == all[1].Header.Get("Topic") {
		t.Error("the push service sees which browsers get the same")
	}
	var key struct{ PublicKey string }
	w.read(w.want("ada", "GET", "/api/push", ``, 200, ""), 200, &key)
	checkVAPID(t, h.Get("Authorization"), key.PublicKey, s.URL)
}

// checkVAPID checks the header of RFC 8292 for a push service.
func checkVAPID(t *testing.T, header, publicKey, audience string) {
	t.Helper()
	token, key, ok := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	part := strings.Split(token, ".")
	if !ok || key != publicKey || len(part) != 3 {
		t.Fatalf("Authorization: %s", header)
	}
	decode := func(s string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	point, signature, hash := decode(key), decode(part[2]), sha256.Sum256([]byte(part[0]+"."+part[1]))
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		t.Fatal(err)
	}
	if !ecdsa.Verify(public, hash[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature is wrong")
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := json.Unmarshal(decode(part[1]), &claims, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if left := time.Until(time.Unix(claims.Exp, 0)); claims.Aud != audience || !strings.HasPrefix(claims.Sub, "mailto:") || left <= 0 ||
		left > 24*time.Hour {
		t.Errorf("claims: %+v", claims)
	}
}

// A test says what failed. After 404 and 410 the subscription is gone.
func TestPushTestSaysWhatFailed(t *testing.T) {
	w, s := pushWorld(t)
	elsewhere := pushtest.New()
	defer elsewhere.Close()
	for status, tc := range map[int]struct {
		says string
		left bool
	}{
		404: {"The push service answered 404. The browser has ended the subscription", false},
		410: {"The push service answered 410. The browser has ended the subscription", false},
		403: {"The push service answered 403. It does not accept the key of this server", true},
		429: {"The push service answered 429. It takes no more notifications for a while.", true},
		500: {"The push service answered 500.", true},
		307: {"The push service answered 307; redirects are not followed.", true},
	} {
		s.Answer = func(rw http.ResponseWriter, _ pushtest.Message, _ int) {
			rw.Header().Set("Location", elsewhere.Subscribe("x").Endpoint)
			rw.WriteHeader(status)
		}
		_, id := w.subscribe(s, "ada", "Phone")
		w.want("ada", "POST", "/api/push/subscriptions/"+id+"/test", ``, 200, fmt.Sprintf(`{"sent":false,"status":%d,"error":"%s`, status, tc.says))
		if res := w.want("ada", "GET", "/api/push/subscriptions", ``, 200, ""); strings.Contains(string(res.body), id) != tc.left {
			t.Errorf("%d: %s", status, res.body)
		}
	}
	if n := len(elsewhere.Messages(nil)); n > 0 {
		t.Error("a redirect was followed")
	}
	_, id := w.subscribe(s, "ada", "Phone")
	s.Close()
	w.want("ada", "POST", "/api/push/subscriptions/"+id+"/test", ``, 200,
		`{"sent":false,"status":null,"error":"The connection to the push service failed."}`)
	w.want("ada", "GET", "/api/push/subscriptions", ``, 200, `"lastError":"The connection to the push service failed."`)
}

// A subscription ends with the session of its browser: when it signs out, is signed out elsewhere, or somebody else
// signs in. A browser that somebody else subscribes is theirs.
func TestPushEndsWithTheSession(t *testing.T) {
	w, s := pushWorld(t)
	count := func(who string, want int) {
		t.Helper()
		if res := w.want(who, "GET", "/api/push/subscriptions", ``, 200, ""); strings.Count(string(res.body), `"id"`) != want {
			t.Errorf("%s has %s, want %d", who, res.body, want)
		}
	}
	page := func(cookie, method, path, body, kind string, status int) response {
		t.Helper()
		res := w.do("anonymous", method, path, http.Header{"Cookie": {cookie}, "Content-Type": {kind}}, body)
		if res.status != status {
			t.Fatalf("%s %s: %d %s", method, path, res.status, res.body)
		}
		return res
	}
	const form, data = "application/x-www-form-urlencoded", "application/json"
	phone := s.Subscribe("Phone")
	first, second := w.cookie("ada"), w.cookie("ada")
	page(first, "POST", "/api/push/subscriptions", phone.JSON(), data, 201)
	page(second, "POST", "/api/push/subscriptions", s.Subscribe("Tablet").JSON(), data, 201)
	count("ada", 2)
	page(second, "POST", "/logout", "me="+w.cast.Ada.ID, form, 303)
	count("ada", 1)
	link, err := w.app.Account.LinkFor(t.Context(), "ben@example.org", false)
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(link, "token=")
	page(first, "POST", "/login/verify", "token="+token, form, 303)
	count("ada", 0)

	w.want("ada", "POST", "/api/push/subscriptions", phone.JSON(), 201, "")
	w.want("ben", "POST", "/api/push/subscriptions", phone.JSON(), 201, "")
	count("ada", 0)
	count("ben", 1)
	w.want("ben", "DELETE", "/api/auth/sessions", ``, 204, "")
	w.wantRows(0, `SELECT count(*) FROM push_subscription`)
}

// An account has 20 subscriptions at most, and makes 40 a day at most.
func TestPushQuota(t *testing.T) {
	w, s := pushWorld(t)
	last := ""
	for range 20 {
		_, last = w.subscribe(s, "ada", "Phone")
	}
	w.want("ada", "POST", "/api/push/subscriptions", s.Subscribe("Phone").JSON(), 409, `"too_many_subscriptions"`)
	for range 20 {
		w.want("ada", "DELETE", "/api/push/subscriptions/"+last, ``, 204, "")
		_, last = w.subscribe(s, "ada", "Phone")
	}
	w.want("ada", "DELETE", "/api/push/subscriptions/"+last, ``, 204, "")
	w.want("ada", "POST", "/api/push/subscriptions", s.Subscribe("Phone").JSON(), 429, `"too_many_subscriptions"`)
	w.subscribe(s, "ben", "Phone")
}
