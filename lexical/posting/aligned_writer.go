package posting

import "context"

// AlignedBlocks is where an AlignedWriter keeps its blocks. Each call is for
// many blocks, at most alignedPortion, in the order of lists and Start.
type AlignedBlocks interface {
	// Append adds Data to the end of each block. A block that does not exist
	// is inserted.
	Append(ctx context.Context, blocks []Block) error
	// Read sets the Data of each block that exists.
	Read(ctx context.Context, blocks []Block) error
	// Replace sets the Data of each block in the storage.
	Replace(ctx context.Context, blocks []Block) error
	// Delete removes blocks. Some may not exist.
	Delete(ctx context.Context, blocks []Block) error
}

// alignedPortion bounds the blocks of one call, for the sake of memory.
const alignedPortion = 5000

// AlignedWriter collects the changes of one transaction to an Aligned index.
// It is for one goroutine.
type AlignedWriter struct{ Changes }

// NewAlignedWriter returns a writer without changes.
func NewAlignedWriter() *AlignedWriter { return &AlignedWriter{Changes{layout: Aligned}} }

// Flush writes the collected postings. Where postings are only added, as in
// every import, blocks are not read. Totals are taken separately.
func (w *AlignedWriter) Flush(ctx context.Context, blocks AlignedBlocks) error {
	var p portion
	for _, list := range w.lists() {
		changes := w.postings[list]
		sortByDoc(changes)
		for len(changes) > 0 {
			number, n := AlignedNumber(changes[0].Doc), 1
			for n < len(changes) && AlignedNumber(changes[n].Doc) == number {
				n++
			}
			p.add(Block{List: list, Start: AlignedStart(number)}, changes[:n])
			changes = changes[n:]
			if p.blocks() == alignedPortion {
				if err := p.write(ctx, blocks); err != nil {
					return err
				}
				p = portion{}
			}
		}
	}
	w.forget()
	return p.write(ctx, blocks)
}

// portion is the changes of some blocks.
type portion struct {
	appended  []Block
	rewritten []Block
	changes   [][]Posting // of rewritten
}

func (p *portion) blocks() int { return len(p.appended) + len(p.rewritten) }

// add notes the changes of one block, sorted by docID.
func (p *portion) add(block Block, changes []Posting) {
	if data, ok := additions(changes); ok {
		block.Data = data
		p.appended = append(p.appended, block)
		return
	}
	p.rewritten, p.changes = append(p.rewritten, block), append(p.changes, changes)
}

func (p *portion) write(ctx context.Context, blocks AlignedBlocks) error {
	if len(p.appended) > 0 {
		if err := blocks.Append(ctx, p.appended); err != nil {
			return err
		}
	}
	if len(p.rewritten) == 0 {
		return nil
	}
	if err := blocks.Read(ctx, p.rewritten); err != nil {
		return err
	}
	var replaced, deleted []Block
	for i, block := range p.rewritten {
		data, err := rewriteAligned(block, p.changes[i])
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
