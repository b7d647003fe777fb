package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mneme/cmd/compose"
)

// version is set by the linker (-X main.version=...) for builds outside a
// checkout, where the go command finds no revision.
var version string

// build describes how this binary was built.
type build struct {
	Version  string `json:"version"` // of the module; "(devel)" when built from a checkout
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified"` // built from uncommitted files
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	switch {
	case version != "":
		b.Version = version
	case info.Main.Version != "":
		b.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

// backend returns the build for compose.NewServer.
func (b build) backend() compose.Build {
	return compose.Build{Version: b.Version, Revision: b.Revision}
}

func newVersion(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this build",
		Args:  cobra.NoArgs,
		RunE:  p.do(func(*cobra.Command, []string) error { return p.printVersion() }),
	}
}

// printVersion prints how this program was built.
func (p *program) printVersion() error {
	b := thisBuild()
	if p.json {
		return p.printJSON(b)
	}
	text := "mneme " + b.Version
	if b.Revision != "" {
		text += " " + b.Revision
	}
	if b.Modified {
		text += " (modified)"
	}
	_, err := fmt.Fprintf(p.out, "%s %s %s\n", text, b.Go, b.Platform)
	return err
}
