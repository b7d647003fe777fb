package posting

import "context"

// AlignedBlocks is the block store of an AlignedWriter. Each call is for one or
// more blocks, ordered by list and Start. An AlignedWriter returns its errors
// unchanged.
type AlignedBlocks interface {
	// Append adds Data to the end of each block. A block that does not exist
	// is inserted.
	Append(ctx context.Context, blocks []Block) error
	// Read sets the Data of each block that exists, and leaves the others.
	Read(ctx context.Context, blocks []Block) error
	// Replace stores the Data of each block in place of its stored data. A
	// block that does not exist is inserted.
	Replace(ctx context.Context, blocks []Block) error
	// Delete removes blocks and ignores those that do not exist.
	Delete(ctx context.Context, blocks []Block) error
}

// alignedBatch is the maximum number of blocks in a call. It bounds memory.
const alignedBatch = 5000

// AlignedWriter collects the changes of one transaction to an Aligned index. It
// is not safe for concurrent use.
type AlignedWriter struct{ Changes }

// NewAlignedWriter returns a writer without changes.
func NewAlignedWriter() *AlignedWriter { return &AlignedWriter{Changes{layout: Aligned}} }

// Flush writes and forgets the collected postings. It does not read blocks to
// which postings are only added, as in an import. Totals are taken by
// TakeTotals.
func (w *AlignedWriter) Flush(ctx context.Context, blocks AlignedBlocks) error {
	var batch blockBatch
	for _, list := range w.lists() {
		changes := w.postings[list]
		sortByDoc(changes)
		for len(changes) > 0 {
			number, n := AlignedNumber(changes[0].Doc), 1
			for n < len(changes) && AlignedNumber(changes[n].Doc) == number {
				n++
			}
			batch.add(Block{List: list, Start: AlignedStart(number)}, changes[:n])
			changes = changes[n:]
			if batch.size() == alignedBatch {
				if err := batch.write(ctx, blocks); err != nil {
					return err
				}
				batch = blockBatch{}
			}
		}
	}
	w.resetPostings()
	return batch.write(ctx, blocks)
}

// blockBatch holds the changes of several blocks.
type blockBatch struct {
	appended  []Block
	rewritten []Block
	changes   [][]Posting // of each block in rewritten
}

func (b *blockBatch) size() int { return len(b.appended) + len(b.rewritten) }

// add adds the changes of one block, sorted by docID.
func (b *blockBatch) add(block Block, changes []Posting) {
	if data, ok := encodeAppend(changes); ok {
		block.Data = data
		b.appended = append(b.appended, block)
		return
	}
	b.rewritten, b.changes = append(b.rewritten, block), append(b.changes, changes)
}

func (b *blockBatch) write(ctx context.Context, blocks AlignedBlocks) error {
	if len(b.appended) > 0 {
		if err := blocks.Append(ctx, b.appended); err != nil {
			return err
		}
	}
	if len(b.rewritten) == 0 {
		return nil
	}
	if err := blocks.Read(ctx, b.rewritten); err != nil {
		return err
	}
	var replaced, deleted []Block
	for i, block := range b.rewritten {
		data, err := rewriteAligned(block, b.changes[i])
		if err != nil {
			return err
		}
		if block.Data = data; len(data) > 0 {
			replaced = append(replaced, block)
		} else {
			deleted = append(deleted, block)
		}
	}
	if len(replaced) > 0 {
		if err := blocks.Replace(ctx, replaced); err != nil {
			return err
		}
	}
	if len(deleted) > 0 {
		return blocks.Delete(ctx, deleted)
	}
	return nil
}
