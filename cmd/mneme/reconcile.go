package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mneme/backend"
)

func newReconcile(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "reconcile",
		Short: "Compare the vector index with the rows, and mend it",
		Long: `Compares what the vector index holds with the vectors that the rows own. What
has no row is removed, what is missing or differs is written from the rows;
nothing is embedded anew. A running server does so by itself each hour, and when
it finds that Milvus was wiped. Needed at once after Milvus was restored from an
older backup.`,
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
			report, err := service.Reconcile(ctx)
			if err != nil {
				return err
			}
			if p.json {
				return p.printJSON(map[string]int64{
					"rows": report.Rows, "indexed": report.Indexed, "removed": report.Removed, "restored": report.Restored,
				})
			}
			_, err = fmt.Fprintf(p.out, "%d entries have vectors, the index held %d: removed %d without a row, restored %d\n",
				report.Rows, report.Indexed, report.Removed, report.Restored)
			return err
		}),
	}
}
