package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"mneme/configs"
)

// greet prints the demo's address and suggestions, and opens the browser.
func (d *demo) greet(ctx context.Context, config configs.Config, listening net.Addr, link string) error {
	address, err := urlOf(listening.String(), false)
	if err != nil {
		return err
	}
	if d.json {
		return d.printJSON(map[string]string{"address": address, "data_dir": config.DataDir, "console": link})
	}
	kept := "removed when the demo ends"
	if d.dir != "" {
		kept = "kept"
	}
	if link == "" { // a build without the console
		link = address
	}
	if _, err := fmt.Fprintf(d.out, demoGreeting, address, config.DataDir, kept, link, command(config), d.offer, self(), quote(filepath.Join(config.DataDir, demoKeys))); err != nil {
		return err
	}
	opened := "Open that link in a browser"
	if !d.noBrowser && browse(ctx, link) {
		opened = "Your browser opens it"
	}
	_, err = fmt.Fprintf(d.out, "%s. Ctrl-C ends the demo.\n", opened)
	return err
}

// demoGreeting is the format of the greeting. Its arguments: 1 the server's address, 2 the
// data folder, 3 whether the folder is removed at the end, 4 the console's link, 5 the
// command line of this program for the folder, 6 the ID of an offer, 7 the command of this
// program, 8 the key file.
const demoGreeting = `mneme is listening on %[1]s with sample memories
data folder: %[2]s (%[3]s)

Look at it, within five minutes: %[4]s

You are iris, which keeps a household:
  Ask       what must I not cook for Ben?  Or in German: Was darf ich für Ben nicht kochen?
  Memories  iris's own: one with a history, one deleted, one encrypted; forge's, shared
  Access    who sees what, and why; as another agent, too
  Sell      what iris offers, and what hiker bought of it
  Runs      a report of: mneme bench relevance --json report.json

From another terminal:
  # buys from hiker, with the credit that iris has
  %[5]s search --agent iris --offer %[6]s "where can I walk with children?"
  # a token to sign in with where one more memory is seen
  %[5]s token --agent iris --taint CONFIDENTIAL
  # the encrypted one, opened with the key that is in the folder
  %[5]s get --agent iris safe/code | %[7]s decrypt --key-file %[8]s --store iris --key safe/code

`
