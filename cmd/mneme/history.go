package main

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	client "mneme/clients/go"
	"mneme/memory"
)

func newHistory(p *program) *cobra.Command {
	e := pathFlags{marketFlags: marketFlags{program: p, reads: true}}
	var limit int
	cmd := &cobra.Command{
		Use:   "history --agent A KEY",
		Short: "List the versions of an entry",
		Long: `Prints the versions of the entry that are kept, newest first, one per line: its
number, when and by whom it was written, and the beginning of its value. With
--json, one JSON object per line.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return usageError{errors.New("--limit must not be negative")}
			}
			return e.call(cmd, func(ctx context.Context, as *client.Client) error {
				table, shown := p.newTable(column{heading: "VERSION", right: true}, column{heading: "WRITTEN", style: always(faint)},
					column{heading: "BY"}, column{heading: "VALUE"}), 0
				for v, err := range as.Versions(ctx, e.path(args[0])) {
					if err != nil {
						return errors.Join(err, table.flush())
					}
					if shown++; limit > 0 && shown > limit {
						break
					}
					if p.json {
						err = p.printJSON(v)
					} else {
						text := "(encrypted)"
						if !v.Encrypted {
							text = clip(plain(memory.MarkDataURLs(valueText(v.Value))))
						}
						table.add(strconv.Itoa(v.Version), v.UpdatedAt.UTC().Format(time.DateTime), plain(v.UpdatedBy), text)
					}
					if err != nil {
						return err
					}
				}
				return table.flush()
			})
		}),
	}
	e.add(cmd)
	cmd.Flags().IntVar(&limit, "limit", 0, "maximum number of versions; 0: all")
	return cmd
}
