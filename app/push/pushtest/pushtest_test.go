package pushtest

import (
	"crypto/ecdh"
	"encoding/base64"
	"testing"
)

// The example of RFC 8291, appendix A.
func TestExample(t *testing.T) {
	decode := func(s string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := &Browser{auth: [16]byte(decode("BTBZMqHH6r4Tts7J_aSIgg"))}
	b.key, _ = ecdh.P256().NewPrivateKey(decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
	text, err := b.decrypt(decode("DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w" +
		"EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"))
	if err != nil || text != "When I grow up, I want to be a watermelon" {
		t.Errorf("%q %v", text, err)
	}
}
