package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"mneme/cmd/mneme/importer"
	"mneme/cmd/mneme/importer/origin"
	"mneme/memory"
)

// writeFrom reads exports of another system and sends their entries in batches.
func (i *importing) writeFrom(ctx context.Context, to *connection, files []string) error {
	started := time.Now()
	defer func() { i.counts.WriteS = time.Since(started).Seconds() }()
	exports, err := origin.New(i.from, i.namespace, started, i.zone.location())
	if err != nil {
		return usageError{fmt.Errorf("--from: %w", err)}
	}
	b := batch{importing: i, to: to, bar: i.newBar(-1, "writing"), origins: map[memory.Path]string{}}
	defer b.bar.Exit()
	for _, name := range files {
		if err := exports.Read(name, i.in, func(file string, line importer.Line) error { return b.add(ctx, file, line) }); err != nil {
			return fmt.Errorf("%s: %w", fileName(name), err)
		}
	}
	return b.flush(ctx)
}

// checkFrom validates the flags of an import from another system.
func (i *importing) checkFrom(flags *pflag.FlagSet) error {
	switch given := flags.Changed("namespace"); {
	case i.from == "" && given:
		return usageError{errors.New("--namespace requires --from")}
	case i.from == "":
		return nil
	case i.markdown != "" || i.full:
		return usageError{errors.New("--from cannot be given with --markdown or --full")}
	case !given:
		i.namespace = i.from
	}
	if err := memory.CheckNamespace(i.namespace); err != nil {
		return usageError{err}
	}
	return nil
}
