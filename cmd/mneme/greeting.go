package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"mneme/configs"
)

// greet prints the server's address, the console's link if there is one, and first calls
// to try.
func (p *program) greet(config configs.Config, listening net.Addr, link string) error {
	again := command(config)
	addresses, err := urlsOf(config, listening)
	if err != nil {
		return err
	}
	base, curl := addresses[0], "curl"
	if _, ok := config.Socket(); ok {
		base, curl = "http://localhost", "curl --unix-socket "+quote(listening.String())
	}
	if p.json {
		return p.printJSON(map[string]string{"address": addresses[0], "data_dir": config.DataDir})
	}
	look := ""
	if link != "" {
		look = "Look at it, within five minutes: " + link + "\n\n"
	}
	_, err = fmt.Fprintf(p.out, `mneme is listening on %[1]s
data folder: %[2]s

%[4]sTry it from another terminal:

  TOKEN=$(%[3]s token --agent me)
  %[6]s -X PUT '%[5]s/v1/stores/self/memories/tea?wait=indexed' -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' -d '{"value": "I like my tea green, and never after five."}'
  %[6]s %[5]s/v1/search -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' -d '{"query": "what do I drink in the afternoon?"}'

`, strings.Join(addresses, " and "), config.DataDir, again, look, base, curl)
	return err
}

// command returns the command line that runs this program again for the same data folder.
func command(config configs.Config) string {
	line := self()
	if dir, err := configs.DefaultDataDir(); err != nil || dir != config.DataDir {
		line += " --data-dir " + quote(config.DataDir)
	}
	return line
}

// self returns the command that runs this program again.
func self() string {
	// go run builds into a folder that it removes afterwards.
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") {
		return "go run ./cmd/mneme"
	}
	return os.Args[0]
}

// quote quotes text as one word of a POSIX shell.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
