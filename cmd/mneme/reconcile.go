package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mneme/backend"
)

func newReconcile(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "reconcile",
		Short: "Compare the vector index with the rows, and repair it",
		Long: `Compares the vector index with the vectors stored with the rows. Removes what
has no row, and rewrites from the rows what is missing or differs, without
embedding anything again. A running server does this every hour, and when it
finds Milvus wiped. Run it after restoring Milvus from an older backup.`,
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
