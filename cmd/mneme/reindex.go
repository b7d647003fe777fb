package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mneme/backend"
)

func newReindex(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "reindex",
		Short: "Make all vectors anew with the configured embedder",
		Long: `Makes the vectors of every entry with the configured embedder, beside those
that serve. When none is missing the new ones serve, in every process, and the
old ones are dropped. It can be interrupted, and goes on where it was.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) (err error) {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			service, err := backend.Open(ctx, config, p.logger(config.Log))
			if err != nil {
				return err
			}
			defer closing(service, &err)
			started := time.Now()
			var made int64
			bar := p.newBar(-1, "making vectors")
			defer bar.Exit()
			err = service.Reindex(ctx, func(done int64) {
				made = done
				_ = bar.Set64(done)
			})
			if err != nil {
				return err
			}
			took := time.Since(started)
			if p.json {
				return p.printJSON(map[string]any{
					"entries": made, "took_s": took.Seconds(), "fingerprint": service.Status(ctx).Serving,
				})
			}
			_, err = fmt.Fprintf(p.out, "made the vectors of %d entries in %.1f s (%s); serving %s\n",
				made, took.Seconds(), rate(made, took), service.Status(ctx).Serving)
			return err
		}),
	}
}
