package memory

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mneme/lexical"
)

// dumpHeader is the first line of a dump.
type dumpHeader struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

var dumpFormat = dumpHeader{Format: "mneme dump", Version: 2}

// dumpLine is a DumpRecord as a line of JSON.
type dumpLine struct {
	DumpRecord
	Entry   *dumpEntry `json:"entry,omitempty"`
	Version *dumpEntry `json:"version,omitempty"`
	End     *dumpEnd   `json:"end,omitempty"`
}

// dumpEnd is the last line: without it a dump is but the beginning of one, of
// a full disk or a broken pipe.
type dumpEnd struct {
	Records int `json:"records"`
}

// dumpEntry carries value and source as strings, so that they come back byte
// for byte, white space included.
type dumpEntry struct {
	Entry
	Value  string
	Source string
}

func lineOf(record DumpRecord) dumpLine {
	carry := func(e *Entry) *dumpEntry {
		if e == nil {
			return nil
		}
		return &dumpEntry{Entry: *e, Value: string(e.Value), Source: string(e.Source)}
	}
	line := dumpLine{DumpRecord: record, Entry: carry(record.Entry), Version: carry(record.Version)}
	line.DumpRecord.Entry, line.DumpRecord.Version = nil, nil
	return line
}

func (l dumpLine) record() DumpRecord {
	carry := func(d *dumpEntry) *Entry {
		if d == nil {
			return nil
		}
		e := d.Entry
		e.Value = json.RawMessage(d.Value)
		if d.Source != "" {
			e.Source = json.RawMessage(d.Source)
		}
		return &e
	}
	record := l.DumpRecord
	record.Entry, record.Version = carry(l.Entry), carry(l.Version)
	return record
}

// Dump writes everything that an operator's dump holds, one JSON record a
// line between a header and an end: entries with their history and the trash, grants,
// participants, sessions, settings and known names. Vectors are not in it;
// they are made anew. It is the operator's: nothing is left out by access.
func (s *Service) Dump(ctx context.Context, w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(dumpFormat); err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	err := s.storage.View(ctx, func(tx ReadTx) error {
		records := 0
		err := tx.Dump(ctx, func(record DumpRecord) error {
			records++
			return encoder.Encode(lineOf(record))
		})
		if err != nil {
			return err
		}
		return encoder.Encode(dumpLine{End: &dumpEnd{Records: records}})
	})
	if err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	return buffered.Flush()
}

// LoadDump restores a dump as it was and tells how many records it took.
// What the database has already is an error: a dump goes into an empty one,
// and is loaded wholly or not at all.
func (s *Service) LoadDump(ctx context.Context, r io.Reader) (int, error) {
	records, err := readDump(r)
	if err != nil {
		return 0, fmt.Errorf("load dump: %w", err)
	}
	err = s.storage.Update(ctx, func(tx Tx) error {
		for i, record := range records {
			doc := lexical.Document{}
			if record.Entry != nil && record.Entry.Live(s.instant()) {
				doc = document(record.Entry)
			}
			if err := tx.Load(ctx, record, doc); err != nil {
				return fmt.Errorf("record %d: %w", i+1, err)
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("load dump: %w", err)
	}
	s.indexer.Wake()
	return len(records), nil
}

// readDump reads every record of a dump and checks its shape.
func readDump(r io.Reader) ([]DumpRecord, error) {
	decoder := json.NewDecoder(bufio.NewReaderSize(r, 1<<16))
	decoder.DisallowUnknownFields()
	var header dumpHeader
	if err := decoder.Decode(&header); err != nil || header != dumpFormat {
		return nil, fmt.Errorf("this is not a dump of version %d", dumpFormat.Version)
	}
	var records []DumpRecord
	for {
		var line dumpLine
		err := decoder.Decode(&line)
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("the dump breaks off after %d records", len(records))
		case err != nil:
			return nil, fmt.Errorf("record %d cannot be read", len(records)+1)
		case line.End != nil && line.End.Records != len(records):
			return nil, fmt.Errorf("the dump has %d records, and says that it has %d", len(records), line.End.Records)
		case line.End != nil:
			return records, nil
		}
		records = append(records, line.record())
	}
}
