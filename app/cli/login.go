package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

type login struct {
	Token   string    `json:"token"`
	Email   string    `json:"email"`
	Expires time.Time `json:"expires"`
}

func loginFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "hearth", "login.json"), err
}

func readLogins() (map[string]login, error) {
	all := map[string]login{}
	path, err := loginFile()
	if err != nil {
		return all, err
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w. Remove it, and sign in again", path, err)
	}
	return all, nil
}

func writeLogins(all map[string]login) error {
	path, err := loginFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

func savedToken(base string, now time.Time) string {
	all, err := readLogins()
	if err != nil || !all[base].Expires.After(now) {
		return ""
	}
	return all[base].Token
}

// Login is "hearth login", which signs in to a server for "hearth lists".
func Login(env Env) *Command {
	return &Command{
		name: "login", usage: "sign in to a server, to edit lists", args: "EMAIL", names: []string{"the EMAIL of the account"},
		about: "The server sends a mail with a code, which is read from the input; the link of the mail is accepted, too.\n" +
			"The session lasts a week. It is stored in the configuration directory of this user.",
		examples: []string{"hearth login --url https://lists.example.org ada@example.org"}, options: []*option{urlFlag()},
		do: func(c *call, args []string) error {
			if c.String("url") == "" {
				return usagef("name the server with --url")
			}
			base, err := checkBase(c.String("url"))
			if err != nil {
				return err
			}
			return env.login(c, base, args[0])
		},
	}
}

func (e Env) login(c *call, base, email string) error {
	client := &listsClient{base: base, http: remoteClient()}
	if _, err := client.call(c.ctx, "POST", "/api/auth/magic-link", map[string]string{"email": email}, nil); err != nil {
		return err
	}
	fmt.Fprintf(e.Err, "If %s can sign in, a mail with a code is on its way.\nCode: ", visible(email))
	line, err := bufio.NewReader(e.In).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	if strings.TrimSpace(line) == "" {
		return errors.New("no code was given, so you are not signed in")
	}
	var out struct {
		Token     string `json:"token"`
		ExpiresIn int    `json:"expiresIn"`
		User      struct {
			Email string `json:"email"`
		} `json:"user"`
	}
	if _, err := client.call(c.ctx, "POST", "/api/auth/magic-link/verify", proof(email, strings.TrimSpace(line)), &out); err != nil {
		return err
	}
	all, err := readLogins()
	if err != nil {
		return err
	}
	all[base] = login{Token: out.Token, Email: out.User.Email, Expires: e.Now().Add(time.Duration(out.ExpiresIn) * time.Second)}
	if err := writeLogins(all); err != nil {
		return err
	}
	return e.print("Signed in to %s as %s.", base, out.User.Email)
}

func proof(email, given string) map[string]string {
	if u, err := url.Parse(given); err == nil && u.Query().Get("token") != "" {
		return map[string]string{"token": u.Query().Get("token")}
	}
	return map[string]string{"email": email, "code": given}
}

// Logout is "hearth logout", which ends the session of "hearth login".
func Logout(env Env) *Command {
	return &Command{
		name: "logout", usage: "sign out of a server", about: "Ends the session on the server and forgets it here.",
		examples: []string{"hearth logout --url https://lists.example.org"}, options: []*option{urlFlag()},
		do: func(c *call, _ []string) error {
			base, err := checkBase(c.String("url"))
			if err != nil {
				return err
			}
			all, err := readLogins()
			if err != nil {
				return err
			}
			was, ok := all[base]
			if !ok {
				return env.print("You are not signed in to %s.", base)
			}
			client := &listsClient{base: base, http: remoteClient(), session: was.Token}
			_, ending := client.call(c.ctx, "POST", "/api/auth/logout", nil, nil)
			delete(all, base)
			if err := writeLogins(all); err != nil {
				return err
			}
			if ending != nil {
				return fmt.Errorf("the session is forgotten here, but could not be ended on the server: %w", ending)
			}
			return env.print("Signed out of %s.", base)
		},
	}
}
