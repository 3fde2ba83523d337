package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"hearth/app/api"
)

// BuildVersion returns the version of the program: a release, or a commit and whether the source was changed.
func BuildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return strings.Trim(info.Main.Version, "()")
}

// Version is "hearth version".
func Version(env Env) *cli.Command {
	return command{
		name: "version", usage: "print the version", about: "Prints the versions of hearth and Go, and the platform.",
		examples: []string{"hearth version"},
		do: func(*cli.Context, []string) error {
			env.print("hearth %s (%s %s/%s)", env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}.build()
}

// OpenAPI is "hearth openapi".
func OpenAPI(env Env) *cli.Command {
	return command{
		name: "openapi", usage: "print the OpenAPI document",
		about:    "Prints the OpenAPI 3.1 document that a server serves at /api/openapi.json.",
		examples: []string{"hearth openapi > openapi.json"},
		flags: []cli.Flag{&cli.StringFlag{Name: "base-url", EnvVars: []string{"HEARTH_BASE_URL"}, Value: "http://127.0.0.1:8080",
			Usage: "the server's `URL` in the document"}},
		do: func(c *cli.Context, _ []string) error {
			doc, err := api.OpenAPI(api.Routes(api.Described()), c.String("base-url"))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.Out, "%s\n", doc)
			return err
		},
	}.build()
}
