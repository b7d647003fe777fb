package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"mneme/acl"
	"mneme/cmd/mneme/importer"
)

// write reads the files and hands their entries on, batch by batch.
func (i *importing) write(ctx context.Context, to sink, files []string) error {
	started := time.Now()
	defer func() { i.counts.WriteS = time.Since(started).Seconds() }()
	bar := i.newBar(countLines(files), "writing")
	defer bar.Exit()
	var waiting []record
	flush := func() error {
		err := i.hand(ctx, to, waiting)
		waiting = waiting[:0]
		// A bar that cannot be drawn is no reason to stop.
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
				reason = errors.New("names no store, and there is no --store")
			}
			if reason != nil {
				i.refuse(file, line.Number, reason.Error())
				return nil
			}
			waiting = append(waiting, record{file: file, line: line.Number, put: line.Put, fields: line.Fields})
			if len(waiting) < batch {
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
		return errors.New("is a folder: --markdown reads one")
	}
	return importer.Read(file, f, time.Now(), yield)
}

// hand gives a stretch of records to the sink, each agent's together. Where
// agents differ they are the stores themselves, so no two write one path.
func (i *importing) hand(ctx context.Context, to sink, records []record) error {
	var agents []string
	of := make(map[string][]record)
	for _, r := range records {
		agent := i.as.agent
		if agent == "" {
			agent = r.put.Path.Store
		}
		if of[agent] == nil {
			agents = append(agents, agent)
		}
		of[agent] = append(of[agent], r)
	}
	for _, agent := range agents {
		if err := acl.CheckID(agent); err != nil {
			for _, r := range of[agent] {
				i.refuse(r.file, r.line, "store: "+err.Error())
			}
			continue
		}
		outcomes, err := to.put(ctx, agent, of[agent])
		if err != nil {
			return err
		}
		for n, o := range outcomes {
			r := of[agent][n]
			switch {
			case o.refused != "":
				i.refuse(r.file, r.lineOf(o.refused), o.refused)
			case o.unchanged:
				i.counts.Unchanged++
			case o.created:
				i.counts.Created++
			default:
				i.counts.Updated++
			}
		}
	}
	return nil
}

func (i *importing) refuse(file string, line int, reason string) {
	i.counts.Refused = append(i.counts.Refused, refusal{File: file, Line: line, Reason: reason})
}

// countLines counts the lines of files, for the progress bar: -1 if one is
// standard input or cannot be read.
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
		return 0, errors.New("standard input has no known length")
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
