// Command refit recreates the projections of the built-in models. The same texts give the
// same bytes on every machine.
//
//	go run ./embed/tools/refit -o embed/e5/e5-small-v2.projection FILE…
//	go run ./embed/tools/refit -multilingual -o embed/e5/multilingual-e5-small.projection FILE…
//
// A FILE is the corpus of a BEIR data set (.jsonl) or a text. The pages in docs/models name the
// files from which the repository's projections were made.
//
// With -relabel it writes a projection that was fitted to an earlier precision of the encoder
// for the current encoder. The vectors of both differ only by rounding, so codes made with the
// same projection are comparable. A second fit would give another projection, whose codes are
// not comparable with the first.
//
//	go run ./embed/tools/refit -relabel OLD -o NEW
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"mneme/embed/e5"
	"mneme/embed/e5/projection"
	"mneme/embed/tools/fit"
)

func main() {
	multilingual := flag.Bool("multilingual", false, "fit the multilingual model's projection")
	out := flag.String("o", "e5-small-v2.projection", "the file to write")
	limit := flag.Int("passages", 1000, "use at most this many passages of each file, evenly spaced")
	old := flag.String("relabel", "", "fit nothing; give this projection to the encoder of today")
	flag.Parse()
	if (flag.NArg() == 0) == (*old == "") || *limit < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := func() error { return run(ctx, *multilingual, *out, *limit, flag.Args()) }
	if *old != "" {
		do = func() error { return relabel(*out, *old) }
	}
	if err := do(); err != nil {
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

// relabel writes the projection in the file old, labelled for the current encoder, to out. It
// fails unless the projection was fitted to one of the encoder's predecessors.
func relabel(out, old string) error {
	encoder, err := e5.New(e5.Options{Lazy: true})
	if err != nil {
		return err
	}
	file, err := os.ReadFile(old)
	if err != nil {
		return err
	}
	p, err := projection.Parse(file)
	if err != nil {
		return fmt.Errorf("%s: %w", old, err)
	}
	if !slices.Contains(encoder.Predecessors(), p.Encoder) {
		return fmt.Errorf("%s was fitted to %q, which is no predecessor of %q", old, p.Encoder, encoder.Fingerprint())
	}
	p.Encoder = encoder.Fingerprint()
	file = p.Append(nil)
	if err := os.WriteFile(out, file, 0o644); err != nil {
		return err
	}
	fmt.Printf("%x  %s (%d bytes)\n", sha256.Sum256(file), out, len(file))
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
