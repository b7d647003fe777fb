package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mneme/cmd/compose"
)

func newReconcile(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "reconcile",
		Short: "Compare the vector index with the database and repair it",
		Long: `Compares the vector index with the vectors stored in the database. Removes from
the index what the database lacks, and restores what is missing or different,
without embedding anything again. A running server does this every hour, and
when it finds that Milvus was wiped. Run it after restoring Milvus from an older
backup. An index that is still starting is waited for, two minutes at most.`,
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
			report, err := service.Reconcile(ctx)
			if err != nil {
				return err
			}
			if p.json {
				return p.printJSON(map[string]int64{
					"rows": report.Rows, "indexed": report.Indexed, "removed": report.Removed, "restored": report.Restored,
				})
			}
			_, err = fmt.Fprintf(p.out, "%d entries have vectors, %d were in the index: removed %d, restored %d\n",
				report.Rows, report.Indexed, report.Removed, report.Restored)
			return err
		}),
	}
}
