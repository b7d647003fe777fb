package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mneme/cmd/mneme/importer"
	"mneme/cmd/mneme/importer/origin"
	"mneme/markdown"
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
	i.counts.LeftOut = exports.LeftOut
	return b.flush(ctx)
}

// chooseFolder imports a folder that is given as a file: as with --markdown if an export
// wrote it, otherwise as a plain folder.
func (i *importing) chooseFolder(files []string) error {
	if i.from != "" || i.markdown != "" || i.full {
		return nil
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || !info.IsDir() {
			continue
		}
		if len(files) > 1 {
			return usageError{fmt.Errorf("%s is a folder: import it alone", fileName(file))}
		}
		if i.from = origin.Markdown; markdown.IsExport(file) && i.namespace == "" {
			i.from, i.markdown = "", file
		}
	}
	return nil
}

// leftOut counts files by kind.
type leftOut map[string]int

// String returns the counts, the largest first: 12 .png, 1 empty.
func (l leftOut) String() string {
	kinds := slices.SortedFunc(maps.Keys(l), func(a, b string) int { return cmp.Or(cmp.Compare(l[b], l[a]), cmp.Compare(a, b)) })
	for n, kind := range kinds {
		kinds[n] = fmt.Sprint(l[kind], " ", fileName(kind))
	}
	return strings.Join(kinds, ", ")
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
	case !given && i.from != origin.Markdown:
		i.namespace = i.from
	}
	i.namespace = memory.NormalName(i.namespace)
	if err := memory.CheckNamespace(i.namespace); err != nil {
		return usageError{err}
	}
	return nil
}
