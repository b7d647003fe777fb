package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mneme/cmd/compose"
)

func newReindex(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "reindex",
		Short: "Re-embed all entries with the configured embedder",
		Long: `Embeds every entry with the configured embedder. Until all new vectors exist,
searches use the old ones; then every process switches to the new ones, and the
old ones are dropped. Run the command again to resume an interrupted run.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) (err error) {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			service, err := compose.Open(ctx, config, p.logger(config.Log))
			if err != nil {
				return err
			}
			defer closeJoin(service, &err)
			start := time.Now()
			var embedded int64
			bar := p.newBar(0, "embedding")
			defer bar.Exit()
			err = service.Reindex(ctx, func(done, total int64) {
				embedded = done
				bar.setTotal(total)
				_ = bar.Set64(done)
			})
			if err != nil {
				return err
			}
			took := time.Since(start)
			if p.json {
				return p.printJSON(map[string]any{
					"entries": embedded, "took_s": took.Seconds(), "fingerprint": service.Status(ctx).Serving,
				})
			}
			_, err = fmt.Fprintf(p.out, "embedded %d entries in %.1f s (%s); serving %s\n",
				embedded, took.Seconds(), rate(embedded, took), service.Status(ctx).Serving)
			return err
		}),
	}
}
