package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

// maxInput limits what put reads from stdin, in bytes. The server's own limit on a value
// is lower unless configured otherwise.
const maxInput = 64 << 20

func newPut(p *program) *cobra.Command {
	w := putting{pathFlags: pathFlags{marketFlags: marketFlags{program: p}}}
	cmd := &cobra.Command{
		Use:   "put --agent A KEY [VALUE]",
		Short: "Write an entry",
		Long: `Creates the entry, or writes a new version of it. VALUE is a text, or with
--value-json any JSON value. Without it, or as "-", it is read from standard input.
What no flag gives stays as it is. Prints the key, the label and the version; with
--json, the entry.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: p.do(w.run),
	}
	w.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&w.raw, "value-json", false, "VALUE is JSON")
	flags.StringVar(&w.kind, "type", "", "user, feedback, project or reference")
	flags.StringSliceVar(&w.tags, "tag", nil, "tag; repeat it for several")
	flags.StringVar(&w.description, "description", "", "what it is about, in one line")
	durationVar(flags, &w.ttl, "ttl", 0, "time until it expires; 0: never")
	flags.StringVar(&w.occurredAt, "occurred-at", "", "when what it describes happened: a date (2023-05-08, 2023-05, 2023), or a time in RFC 3339")
	w.zone.add(cmd, "of an --occurred-at that has none")
	flags.BoolVar(&w.ifAbsent, "if-absent", false, "fail if the entry exists")
	completeWith(cmd, "type", "user", "feedback", "project", "reference")
	return cmd
}

// putting is one run of the put command.
type putting struct {
	pathFlags
	raw, ifAbsent                 bool
	kind, description, occurredAt string
	zone                          zoneFlag
	tags                          []string
	ttl                           time.Duration
}

func (w *putting) run(cmd *cobra.Command, args []string) error {
	value, err := w.value(args[1:])
	if err != nil {
		return err
	}
	write := api.Write{Value: value}
	given := cmd.Flags().Changed
	if given("type") {
		write.Type = &w.kind
	}
	if given("description") {
		write.Description = &w.description
	}
	if given("tag") {
		write.Tags = &w.tags
	}
	if given("occurred-at") {
		write.OccurredAt = &w.occurredAt
	}
	write.Timezone = w.zone.param()
	if given("ttl") {
		if w.ttl < 0 || w.ttl%time.Second != 0 {
			return usageError{errors.New("--ttl must be whole seconds, such as 90s, 12h or 30d")}
		}
		write.TTL = new(int64(w.ttl / time.Second))
	}
	return w.call(cmd, func(ctx context.Context, as *client.Client) error {
		stored, err := as.Put(ctx, w.path(args[0]), write, client.Conditions{New: w.ifAbsent})
		switch {
		case err != nil && w.ifAbsent && client.StatusOf(err) == 412:
			return errors.New("the entry exists")
		case err != nil:
			return err
		case w.json:
			return w.printJSON(stored.Written)
		}
		_, err = fmt.Fprintf(w.out, "%s\t%s\tversion %d\n", plain(stored.Key), stored.Label, stored.Version)
		return err
	})
}

// value returns the value as JSON: from the argument, or from standard input.
func (w *putting) value(given []string) (json.RawMessage, error) {
	var text []byte
	if len(given) == 1 && given[0] != "-" {
		text = []byte(given[0])
	} else {
		if len(given) == 0 && onTerminal(w.in) {
			return nil, usageError{errors.New("a VALUE is missing; - reads it from standard input")}
		}
		var err error
		if text, err = io.ReadAll(io.LimitReader(w.in, maxInput+1)); err != nil {
			return nil, err
		}
		if len(given) == 0 && len(text) == 0 { // for example in a script without input
			return nil, usageError{errors.New(`a VALUE is missing, and standard input is empty; "" is an empty text`)}
		}
		if len(text) > maxInput {
			return nil, fmt.Errorf("the value is longer than %d bytes", maxInput)
		}
	}
	switch {
	case w.raw && !json.Valid(text):
		return nil, usageError{errors.New("the value is not JSON; without --value-json it is a text")}
	case w.raw:
		return text, nil
	case !utf8.Valid(text):
		return nil, usageError{errors.New("the value is not UTF-8")}
	}
	return json.Marshal(strings.TrimSuffix(string(text), "\n"))
}

// printable returns text without control and format characters except line feeds and tabs,
// by which an agent's text could control the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, text)
}
