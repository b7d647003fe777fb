// Command refit creates the projections of the models in the program again. The same
// texts give the same bytes on every machine.
//
//	go run ./embed/tools/refit -o embed/e5/e5-small-v2.projection FILE…
//	go run ./embed/tools/refit -multilingual -o embed/e5/multilingual-e5-small.projection FILE…
//
// A FILE is the corpus of a BEIR data set (.jsonl) or a text. The pages in docs/models
// name those of the repository's projections.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"mneme/embed/e5"
	"mneme/embed/tools/fit"
)

func main() {
	multilingual := flag.Bool("multilingual", false, "fit the multilingual model's projection")
	out := flag.String("o", "e5-small-v2.projection", "the file to write")
	limit := flag.Int("passages", 1000, "use at most this many passages of each file, evenly spaced")
	flag.Parse()
	if flag.NArg() == 0 || *limit < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *multilingual, *out, *limit, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "refit:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, multilingual bool, out string, limit int, files []string) error {
	encoder, err := e5.New(e5.Options{Multilingual: multilingual})
	if err != nil {
		return err
	}
	var passages []string
	for _, file := range files {
		texts, err := fit.Read(encoder, file)
		if err != nil {
			return err
		}
		passages = append(passages, fit.Evenly(texts, limit)...)
	}
	p, err := fit.Passages(ctx, encoder, passages)
	if err != nil {
		return err
	}
	for _, file := range files {
		p.Sources = append(p.Sources, sourceName(file))
	}
	file := p.Append(nil)
	if err := os.WriteFile(out, file, 0o644); err != nil {
		return err
	}
	fmt.Printf("%x  %s (%d bytes): %d passages, %d tokens, %.1f %% of their variance\n",
		sha256.Sum256(file), out, len(file), len(passages), p.Tokens, 100*p.Explained)
	return nil
}

// sourceName names a file by its folder and its own name.
func sourceName(file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		return filepath.Base(file)
	}
	return filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
}
