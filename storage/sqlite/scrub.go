package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"mneme/memory"
)

const (
	// scrubBatch is how many pages a transaction of Scrub writes.
	scrubBatch = 500
	// truncateWait is how long one attempt to truncate the log waits for readers of an
	// older state, while writers wait for it. truncateTries is how many there are.
	truncateWait  = 200 * time.Millisecond
	truncateTries = 10
)

// erasure is the row of the table.
type erasure struct {
	erased, scrubbed int64
	urgent           bool
	scrubbedAt       int64
}

func (d *driver) erasure(ctx context.Context) (e erasure, err error) {
	_, err = d.one(ctx, []any{&e.erased, &e.scrubbed, &e.urgent, &e.scrubbedAt}, "erasure.state")
	return e, err
}

// Unscrubbed implements memory.Scrubber.
func (s *Storage) Unscrubbed(ctx context.Context) (u memory.Unscrubbed, err error) {
	err = s.view(ctx, func(r *readTx) error {
		e, err := r.erasure(ctx)
		u = memory.Unscrubbed{Pending: e.erased > e.scrubbed, Urgent: e.urgent, Last: fromMicros(e.scrubbedAt)}
		return err
	})
	return u, err
}

// Scrub implements memory.Scrubber. It zeroes what b-tree pages hold beside their cells,
// and the free pages, rewrites the index of exact words, and truncates the
// write-ahead log. Other processes may read and write meanwhile.
func (s *Storage) Scrub(ctx context.Context, now time.Time) (time.Time, error) {
	var began erasure
	err := s.view(ctx, func(r *readTx) (err error) {
		began, err = r.erasure(ctx)
		return err
	})
	if err != nil || began.erased == began.scrubbed {
		return fromMicros(began.scrubbedAt), err
	}
	for _, write := range [...]func(*writer, context.Context) error{(*writer).mergeWords, (*writer).rewriteWords} {
		if err := s.update(ctx, func(w *writeTx) error { return write(w.writer, ctx) }); err != nil {
			return time.Time{}, err
		}
	}
	if err := s.wipePages(ctx); err != nil {
		return time.Time{}, fmt.Errorf("scrub the database: %w", err)
	}
	if err := s.truncateLog(ctx); err != nil {
		return time.Time{}, err
	}
	return now, s.update(ctx, func(w *writeTx) error {
		_, err := w.exec(ctx, "erasure.finish", began.erased, micros(now))
		return err
	})
}

// wipePages finds the pages to be wiped in one snapshot, and wipes them in transactions
// that writers hardly wait for. What is written in between is of later transactions,
// which erased nothing that this call promises.
func (s *Storage) wipePages(ctx context.Context) error {
	var usable int
	var trees, free []int64
	err := s.view(ctx, func(r *readTx) (err error) {
		if usable, err = r.usablePage(ctx); err != nil {
			return err
		}
		if trees, err = r.unwiped(ctx, usable); err != nil {
			return err
		}
		free, err = r.freePages(ctx, usable)
		return err
	})
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(trees, scrubBatch) {
		if err := s.update(ctx, func(w *writeTx) error { return w.wipeTrees(ctx, batch, usable) }); err != nil {
			return err
		}
	}
	if len(free) == 0 {
		return nil
	}
	return s.update(ctx, func(w *writeTx) error { return w.wipeFree(ctx, usable) })
}

// usablePage returns the size of a page without what is reserved at its end.
func (r *reader) usablePage(ctx context.Context) (int, error) {
	header, err := r.page(ctx, 1)
	if err != nil {
		return 0, err
	}
	if pages := binary.BigEndian.Uint32(header[28:]); pages > maxPages {
		return 0, fmt.Errorf("%d pages are too many to classify", pages)
	}
	return len(header) - int(header[20]), nil
}

func (r *reader) page(ctx context.Context, number int64) (page []byte, err error) {
	_, err = r.one(ctx, []any{&page}, "page.read", number)
	if err == nil && len(page) < 512 { // the least size of a page
		err = errPage
	}
	return page, err
}

// unwiped returns the numbers of b-tree pages that hold something beside their cells.
func (r *reader) unwiped(ctx context.Context, usable int) (numbers []int64, err error) {
	var page []byte
	err = r.each(ctx, func(rows *sql.Rows) error {
		var number int64
		var raw sql.RawBytes
		if err := rows.Scan(&number, &raw); err != nil {
			return err
		}
		page = append(page[:0], raw...)
		changed, err := wipe(page, number, usable)
		if changed {
			numbers = append(numbers, number)
		}
		return err
	}, "page.all")
	return numbers, err
}

// freePages returns the numbers of free pages that hold something. secure_delete
// zeroes a page when it becomes free, unless another program did that without it.
func (r *reader) freePages(ctx context.Context, usable int) (numbers []int64, err error) {
	trunk, err := r.page(ctx, 1)
	if err != nil {
		return nil, err
	}
	for next := int64(binary.BigEndian.Uint32(trunk[32:])); next != 0; next = int64(binary.BigEndian.Uint32(trunk)) {
		if trunk, err = r.page(ctx, next); err != nil {
			return nil, err
		}
		leaves := int(binary.BigEndian.Uint32(trunk[4:]))
		if 8+4*leaves > usable {
			return nil, errPage
		}
		for i := range leaves {
			number := int64(binary.BigEndian.Uint32(trunk[8+4*i:]))
			page, err := r.page(ctx, number)
			if err != nil {
				return nil, err
			}
			if clearBytes(page) {
				numbers = append(numbers, number)
			}
		}
	}
	return numbers, nil
}

// wipeTrees wipes those of the pages that are b-tree pages now.
func (w *writer) wipeTrees(ctx context.Context, numbers []int64, usable int) error {
	for _, number := range numbers {
		page, err := w.page(ctx, number)
		if err != nil {
			return err
		}
		changed, err := wipe(page, number, usable)
		if err == nil && changed {
			_, err = w.exec(ctx, "page.write", page, number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wipeFree zeroes the pages that are free now.
func (w *writer) wipeFree(ctx context.Context, usable int) error {
	numbers, err := w.freePages(ctx, usable)
	if err != nil {
		return err
	}
	page, err := w.page(ctx, 1)
	if err != nil {
		return err
	}
	clear(page)
	for _, number := range numbers {
		if _, err := w.exec(ctx, "page.write", page, number); err != nil {
			return err
		}
	}
	return nil
}

// truncateLog truncates the write-ahead log. memory.ErrHeld: a reader of an older state
// kept it.
func (s *Storage) truncateLog(ctx context.Context) error {
	for range truncateTries {
		busy := 1
		err := s.enter()
		if err != nil {
			return err
		}
		err = s.writers.with(ctx, func(c *session) error { return c.checkpoint(&busy) })
		s.gate.Leave()
		if err != nil && !errors.Is(err, errBusy) {
			return err
		}
		if err == nil && busy == 0 {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond): // writers first
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return memory.ErrHeld
}

// checkpoint moves the log into the file and truncates it, unless readers of an older
// state still need it after truncateWait.
func (s *session) checkpoint(busy *int) error {
	if _, err := s.conn.ExecContext(context.Background(), fmt.Sprintf("PRAGMA busy_timeout = %d", truncateWait.Milliseconds())); err != nil {
		return interpret("checkpoint", err)
	}
	var frames, moved int
	err := s.conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(busy, &frames, &moved)
	if _, again := s.conn.ExecContext(context.Background(), writerTimeout); err == nil {
		err = again
	}
	if err != nil {
		return interpret("checkpoint", err)
	}
	return nil
}
