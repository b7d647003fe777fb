package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"mneme/cmd/mneme/importer"
)

// write reads the files and sends their entries in batches.
func (i *importing) write(ctx context.Context, to *connection, files []string) error {
	started := time.Now()
	defer func() { i.counts.WriteS = time.Since(started).Seconds() }()
	bar := i.newBar(countLines(files), "writing")
	defer bar.Exit()
	var waiting []record
	flush := func() error {
		err := i.send(ctx, to, waiting)
		waiting = waiting[:0]
		// Failing to draw the bar is no reason to stop.
		_ = bar.Set64(i.counts.lines())
		return err
	}
	for _, file := range files {
		err := i.read(file, func(line importer.Line) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if line.Put.Path.Store = line.Store; line.Store == "" {
				line.Put.Path.Store = i.store
			}
			reason := line.Err
			if reason == nil && line.Put.Path.Store == "" {
				reason = errors.New("names no store, and --store is not given")
			}
			if reason != nil {
				i.refuse(file, line.Number, reason.Error())
				return nil
			}
			waiting = append(waiting, record{file: file, line: line.Number, put: line.Put, fields: line.Fields})
			if len(waiting) < requestLines {
				return nil
			}
			return flush()
		})
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return flush()
}

// read reads one file, or standard input.
func (i *importing) read(file string, yield func(importer.Line) error) error {
	if file == "-" {
		return importer.Read(file, i.in, time.Now(), yield)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return errors.New("is a folder: use --markdown to import one")
	}
	return importer.Read(file, f, time.Now(), yield)
}

// countLines counts the lines of files for the progress bar. It returns -1 if one
// is standard input or cannot be read.
func countLines(files []string) int64 {
	var total int64
	for _, file := range files {
		n, err := countFile(file)
		if err != nil {
			return -1
		}
		total += n
	}
	return total
}

func countFile(file string) (int64, error) {
	if file == "-" {
		return 0, errors.New("the length of standard input is unknown")
	}
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var n int64
	buffer := make([]byte, 1<<16)
	for {
		got, err := f.Read(buffer)
		for _, c := range buffer[:got] {
			if c == '\n' {
				n++
			}
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
