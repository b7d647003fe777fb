package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mneme/embed/e5"
	"mneme/embed/e5/weightfile"
	"mneme/embed/tools/fit"
)

func newModelFit(p *program) *cobra.Command {
	var weights string
	var texts []string
	cmd := &cobra.Command{
		Use:   "fit --weights FILE [--texts FILE]...",
		Short: "Fit a weights file's token codes to texts",
		Long: `Fits the projection by which the model of a weights file makes token codes, and writes
it into the file. Vectors stay the same; token codes and their fingerprint change, so that
the entries are indexed again (mneme reindex). Without --texts it is fitted to the texts
in the program: passages in 35 languages, or in English for a model with WordPiece.
Texts should be like the entries and in their languages, some thousand words or more: one
text a file, or JSON lines with the fields title and text (.jsonl).`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			file, err := os.ReadFile(weights)
			if err != nil {
				return err
			}
			if file, err = withProjection(cmd.Context(), file, texts, 0); err != nil {
				return fmt.Errorf("%s: %w", weights, err)
			}
			return p.writeModel(weights, file)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&weights, "weights", "", "the weights file to change")
	flags.StringArrayVar(&texts, "texts", nil, "fit to this `FILE`; repeatable")
	_ = cmd.MarkFlagRequired("weights") // it fails only for unknown flags
	return cmd
}

// withProjection returns a weights file with a projection fitted to texts, by default to
// the built-in passages: all, or limit of them if it is not 0.
func withProjection(ctx context.Context, file []byte, texts []string, limit int) ([]byte, error) {
	encoder, err := e5.New(e5.Options{Weights: file})
	if err != nil {
		return nil, err
	}
	var passages, sources []string
	for _, text := range texts {
		read, err := fit.Read(encoder, text)
		if err != nil {
			return nil, err
		}
		passages, sources = append(passages, read...), append(sources, filepath.Base(text))
	}
	if len(texts) == 0 {
		passages, sources = fit.BuiltIn(encoder), []string{fit.Source}
		if limit > 0 {
			passages = fit.Evenly(passages, limit)
		}
	}
	p, err := fit.Passages(ctx, encoder, passages)
	if err != nil {
		return nil, err
	}
	p.Sources = sources
	return weightfile.SetProjection(file, p.Append(nil))
}
