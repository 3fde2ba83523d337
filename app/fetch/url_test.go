package fetch_test

import (
	"errors"
	"testing"

	"hearth/app/fetch"
)

// A host that ends in a number is an address in four decimal parts, or refused.
func TestHostsThatEndInANumber(t *testing.T) {
	for raw, ok := range map[string]bool{
		"http://192.0.2.7/": true, "http://192.0.2.7./": true, "http://[2001:db8::1]/": true, "http://0x7f.example/": true,
		"http://3com.example/": true, "http://example.x0/": true, "http://1.example/": true,
		"http://0x7f000001/": false, "http://2130706433/": false, "http://127.1/": false, "http://0177.0.0.1/": false, "http://a.0x/": false,
		"http://a.0X1F/": false, "http://example.9/": false, "http://1.2.3.4.5/": false, "http://256.1.1.1/": false, "http://127.1./": false,
	} {
		if _, err := fetch.ParseURL(raw); (err == nil) != ok || err != nil && !errors.Is(err, fetch.ErrURL) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
