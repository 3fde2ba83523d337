package cli

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"hearth/app"
)

// Every setting has an effect on the configuration.
func TestSettingsReachConfig(t *testing.T) {
	values := map[string]string{"rate-limits": "off", "trusted-proxy": "10.0.0.0/8", "context-lane": "", "quota-account": "1GiB",
		"quota-server": "1GiB", "disk-reserve": "1GiB", "signup": "invite", "date-language": "de"}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("something\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bridge-secret-file", "jwt-secret-file", "smtp-url-file", "embed-key-file"} {
		values[name] = secret
	}
	configOf := func(args ...string) (cfg app.Config) {
		t.Helper()
		k := Env{}.serving(&Command{name: "serve"}, dbFlag(), func(_ *call, got app.Config) error {
			cfg = got
			return nil
		})
		if err := k.call(t.Context(), args, io.Discard); err != nil {
			t.Fatal(err)
		}
		cfg.Log = nil
		return cfg
	}
	without := configOf()
	for _, f := range serverFlags(dbFlag(), new(app.Config)) {
		name := f.name
		arg := "--" + name
		if v, ok := values[name]; !ok {
			arg += "=something"
		} else if v != "" {
			arg += "=" + v
		}
		if reflect.DeepEqual(configOf(arg), without) {
			t.Errorf("%s changes nothing in app.Config: name its field in serverFlags", arg)
		}
	}
}
