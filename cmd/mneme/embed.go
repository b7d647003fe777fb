package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mneme/cmd/compose"
	"mneme/embed"
)

// maxText is the maximum length of a line of standard input, in bytes.
const maxText = 16 << 20

func newEmbed(p *program) *cobra.Command {
	var passage, multilingual bool
	cmd := &cobra.Command{
		Use:   "embed [--passage] [--multilingual] [TEXT…]",
		Short: "Print the vector of each text as a JSON array, one per line",
		Long: `Embeds each text with the configured embedder: as a query or, with --passage, as
the text of an entry; --multilingual takes the built-in model of texts that the English
one cannot read. Without TEXT, embeds each line of standard input.`,
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			embedders, err := compose.OpenEmbedders(config)
			if err != nil {
				return err
			}
			embedder := embedders.Main
			if multilingual {
				if embedder = embedders.Multilingual; embedder == nil {
					return usageError{errors.New("--multilingual: the configured embedder stands alone; the second model is the built-in one's")}
				}
			}
			if len(args) > 0 {
				for _, text := range args {
					if err := p.embedOne(cmd.Context(), embedder, text, passage); err != nil {
						return err
					}
				}
				return nil
			}
			lines := bufio.NewScanner(p.in)
			lines.Buffer(nil, maxText)
			for lines.Scan() {
				if err := p.embedOne(cmd.Context(), embedder, lines.Text(), passage); err != nil {
					return err
				}
			}
			if err := lines.Err(); err != nil {
				return fmt.Errorf("standard input: %w", err)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&passage, "passage", false, "embed as texts of entries instead of queries")
	cmd.Flags().BoolVar(&multilingual, "multilingual", false, "embed by the built-in model of languages other than English")
	return cmd
}

func (p *program) embedOne(ctx context.Context, embedder embed.Embedder, text string, passage bool) error {
	if !passage {
		query, err := embedder.Query(ctx, text)
		if err != nil {
			return err
		}
		return p.printJSON(query.Vector)
	}
	passages, err := embedder.Passages(ctx, []string{text})
	if err != nil {
		return err
	}
	return p.printJSON(passages[0].Vector)
}
