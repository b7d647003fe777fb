package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"mneme/cmd/mneme/importer"
	"mneme/memory"
)

// write reads the files and sends their entries in batches.
func (i *importing) write(ctx context.Context, to *connection, files []string) error {
	started := time.Now()
	defer func() { i.counts.WriteS = time.Since(started).Seconds() }()
	b := batch{importing: i, to: to, bar: i.newBar(countLines(files), "writing"), origins: map[memory.Path]string{}}
	defer b.bar.Exit()
	for _, file := range files {
		if err := i.read(file, func(line importer.Line) error { return b.add(ctx, file, line) }); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return b.flush(ctx)
}

// batch holds the lines of the next request.
type batch struct {
	*importing
	to      *connection
	bar     *bar
	waiting []record
	size    int // bytes of buffered values
	// origins maps each entry that --as moves to the store named in its line: two stores
	// may have the same key.
	origins map[memory.Path]string
}

// requestBytes is the size of buffered values at which a request is sent.
const requestBytes = 8 << 20

// add adds a line, and sends the request if it is full.
func (b *batch) add(ctx context.Context, file string, line importer.Line) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := record{file: file, line: line.Number, place: line.Place, put: line.Put, fields: line.Fields, isPart: line.Part}
	from := cmp.Or(line.Store, b.store, b.as.agent)
	if r.put.Path.Store = from; b.reassign {
		r.put.Path.Store = b.store
	}
	switch {
	case line.Skipped:
		b.counts.Notes = append(b.counts.Notes, refusal{File: file, Line: line.Number, Reason: r.at(line.Err.Error())})
		return nil
	case line.Err != nil:
		b.refuse(file, line.Number, r.at(line.Err.Error()))
		return nil
	case r.put.Path.Store == "":
		b.refuse(file, line.Number, "names no store, and neither --store nor --agent is given")
		return nil
	case b.reassign && b.origins[r.put.Path] != "" && b.origins[r.put.Path] != from:
		b.refuse(file, line.Number, r.at("key: an entry of another store of this import has it"))
		return nil
	case b.reassign:
		b.origins[r.put.Path] = from
	}
	for _, note := range line.Notes {
		b.counts.Notes = append(b.counts.Notes, refusal{File: file, Line: line.Number, Reason: r.at(note)})
	}
	b.waiting = append(b.waiting, r)
	b.size += len(r.put.Value)
	if len(b.waiting) < requestLines && b.size < requestBytes {
		return nil
	}
	return b.flush(ctx)
}

// flush sends the buffered lines.
func (b *batch) flush(ctx context.Context) error {
	err := b.send(ctx, b.to, b.waiting)
	b.waiting, b.size = b.waiting[:0], 0
	// Failing to draw the bar is no reason to stop.
	_ = b.bar.Set64(b.counts.lines())
	return err
}

// read reads one file, or standard input.
func (i *importing) read(file string, yield func(importer.Line) error) error {
	if file == "-" {
		return importer.Read(file, i.in, time.Now(), i.zone.location(), yield)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return importer.Read(file, f, time.Now(), i.zone.location(), yield)
}

// countLines counts the lines of files for the progress bar. It returns -1 if one
// is standard input, a pipe or cannot be read.
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
	// Counting the lines of a pipe, such as <(zcat f), would consume them, and closing a
	// named pipe would break its writer: countLines opens neither.
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return 0, errors.Join(err, errors.New("can be read only once"))
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
