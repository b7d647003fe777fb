package memory

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/google/uuid"

	"mneme/lexical"
)

// dumpHeader is the first line of a dump.
type dumpHeader struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// dumpFormat is the format that Dump writes. previousDumpFormat is the format of the previous
// version of mneme, which had no records of how stores are read.
var (
	dumpFormat         = dumpHeader{Format: "mneme dump", Version: 5}
	previousDumpFormat = dumpHeader{Format: dumpFormat.Format, Version: 4}
)

// dumpLine is a DumpRecord as a line of JSON.
type dumpLine struct {
	DumpRecord
	Entry   *dumpEntry `json:"entry,omitempty"`
	Version *dumpEntry `json:"version,omitempty"`
	End     *dumpEnd   `json:"end,omitempty"`
}

// dumpEnd is the last line of a dump. A dump without it is incomplete, for example after a full
// disk or a broken pipe.
type dumpEnd struct {
	Records int `json:"records"`
}

// dumpEntry holds value and source as strings, so that they are restored byte for byte,
// including white space.
type dumpEntry struct {
	Entry
	Value  string
	Source string
}

func newDumpLine(record DumpRecord) dumpLine {
	toDump := func(e *Entry) *dumpEntry {
		if e == nil {
			return nil
		}
		return &dumpEntry{Entry: *e, Value: string(e.Value), Source: string(e.Source)}
	}
	line := dumpLine{DumpRecord: record, Entry: toDump(record.Entry), Version: toDump(record.Version)}
	line.DumpRecord.Entry, line.DumpRecord.Version = nil, nil
	return line
}

func (l dumpLine) record() DumpRecord {
	fromDump := func(d *dumpEntry) *Entry {
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
	record.Entry, record.Version = fromDump(l.Entry), fromDump(l.Version)
	return record
}

// Dump writes the whole database for its operator, one JSON record per line between a header
// and an end: entries with their history and the trash, grants, participants, sessions,
// settings, known names, how stores are read, and the records of the meter. It applies no
// access rule. It omits vectors, which are recomputed after loading.
func (a *Admin) Dump(ctx context.Context, w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(dumpFormat); err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	err := a.service.storage.View(ctx, func(tx ReadTx) error {
		records := 0
		err := tx.Dump(ctx, func(record DumpRecord) error {
			records++
			return encoder.Encode(newDumpLine(record))
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

// LoadDump restores a dump and returns the number of its records. The database must be empty: a
// record that exists already is an error. A dump is loaded completely or not at all, and not if
// its ledger does not verify. Unless progress is nil, LoadDump calls it after each record, with
// the total number of records. If the transaction is retried, done starts at 1 again.
func (a *Admin) LoadDump(ctx context.Context, r io.Reader, progress func(done, total int)) (int, error) {
	records, err := readDump(r)
	if err != nil {
		return 0, fmt.Errorf("load dump: %w", err)
	}
	sells := slices.ContainsFunc(records, func(r DumpRecord) bool { return r.Meter != nil })
	if sells && a.service.ledger == nil {
		return 0, fmt.Errorf("load dump: the dump has meter records, but this service has no meter")
	}
	err = a.service.storage.Update(ctx, func(tx Tx) error {
		var named []uuid.UUID // entries whose names are not normalized by this build
		for i, record := range records {
			if e := record.Entry; e != nil && e.Path != e.Path.Normal() {
				named = append(named, e.ID)
			}
			doc := lexical.Document{}
			if record.Entry != nil && record.Entry.Live(a.service.Instant()) {
				doc = document(record.Entry)
			}
			if err := tx.Load(ctx, record, doc); err != nil {
				return fmt.Errorf("record %d: %w", i+1, err)
			}
			if progress != nil {
				progress(i+1, len(records))
			}
		}
		if _, err := renameNormal(ctx, tx, named); err != nil {
			return err
		}
		if a.service.ledger == nil {
			return nil
		}
		return a.service.ledger.VerifyLoaded(ctx, tx)
	})
	if err != nil {
		return 0, fmt.Errorf("load dump: %w", err)
	}
	a.service.indexer.Wake()
	return len(records), nil
}

// readDump reads every record of a dump and checks its shape.
func readDump(r io.Reader) ([]DumpRecord, error) {
	decoder := json.NewDecoder(bufio.NewReaderSize(r, 1<<16))
	decoder.DisallowUnknownFields()
	var header dumpHeader
	if err := decoder.Decode(&header); err != nil || header != dumpFormat && header != previousDumpFormat {
		return nil, fmt.Errorf("not a mneme dump of version %d, which this version of mneme writes, or %d, which it loads, too", dumpFormat.Version, previousDumpFormat.Version)
	}
	var records []DumpRecord
	for {
		var line dumpLine
		err := decoder.Decode(&line)
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("the dump is cut off after %d records", len(records))
		case err != nil:
			return nil, fmt.Errorf("record %d cannot be read", len(records)+1)
		case line.End != nil && line.End.Records != len(records):
			return nil, fmt.Errorf("the dump has %d records, but its end line says %d", len(records), line.End.Records)
		case line.End != nil:
			return records, nil
		}
		records = append(records, line.record())
	}
}
