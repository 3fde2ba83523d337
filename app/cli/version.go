package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"hearth/app/api"
)

// BuildVersion returns the version of the program: a release, or a commit and whether the source was changed.
func BuildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v, changed := info.Main.Version, ""
	if v != "" && v != "(devel)" {
		return v
	}
	v = "devel"
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			v = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changed"
		}
	}
	return v + changed
}

// Version is "hearth version".
func Version(env Env) *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version",
		Description: describe("Prints the versions of hearth and Go, and the platform.", "hearth version"),
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			env.print("hearth %s (%s %s/%s)", env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}

// OpenAPI is "hearth openapi".
func OpenAPI(env Env) *cli.Command {
	return &cli.Command{
		Name: "openapi", Usage: "print the OpenAPI document",
		Description: describe("Prints the OpenAPI 3.1 document that a server serves at /api/openapi.json.",
			"hearth openapi > openapi.json"),
		Flags: []cli.Flag{&cli.StringFlag{Name: "base-url", EnvVars: []string{"HEARTH_BASE_URL"}, Value: "http://127.0.0.1:8080",
			Usage: "the server's `URL` in the document"}},
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			doc, err := api.OpenAPI(api.Routes(api.Described()), c.String("base-url"))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.Out, "%s\n", doc)
			return err
		},
	}
}
