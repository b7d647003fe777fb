package rest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/server"
	"mneme/server/limit"
	"mneme/server/problem"
	"mneme/server/rest/api"
)

const (
	// minBatch and maxBatch bound the lines of one transaction, and batchBytes
	// their text. Within these bounds a batch doubles while transactions take
	// less than batchTime, and halves when one takes more than twice that, so
	// that other writers wait only briefly.
	minBatch   = 64
	maxBatch   = 512
	batchBytes = 1 << 20
	batchTime  = 100 * time.Millisecond
	// maxRefusals bounds how many refused lines an answer lists.
	maxRefusals = 1000
)

// ImportMemories writes the lines of a stream.
func (s *Surface) ImportMemories(ctx context.Context, r api.ImportMemoriesRequestObject) (api.ImportMemoriesResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	c := caller(ctx)
	if err := s.service.Authorize(ctx, c, store, acl.ReadWrite); err != nil {
		return nil, err
	}
	in := &importing{surface: s, caller: c, store: store, result: api.ImportResult{Refusals: []api.Refusal{}}, size: minBatch}
	if r.Params.IdempotencyKey == nil {
		if err := in.run(ctx, r.Body); err != nil {
			return nil, err
		}
		return api.ImportMemories200JSONResponse(in.summary()), nil
	}
	result, err := in.once(ctx, *r.Params.IdempotencyKey, r.Body)
	if err != nil {
		return nil, err
	}
	return api.ImportMemories200JSONResponse(result), nil
}

// counts is the record of an import under its idempotency key. It contains no
// text of any line.
type counts struct {
	Created, Updated, Unchanged, Refused int
}

// once runs an import with an Idempotency-Key. The body is a stream, so its
// digest is known only at the end. If an import is recorded under the key, the
// body is read only for its digest, and no line is written. Otherwise its lines
// are written as they arrive, and the import is recorded at the end. An import
// that was cut off has no record; if it is repeated, the lines already written
// count as unchanged.
func (in *importing) once(ctx context.Context, key api.IdempotencyKey, body io.Reader) (api.ImportResult, error) {
	s := in.surface
	replay, err := s.replay(&key, "POST /v1/stores/{store}/import", []string{in.store}, nil)
	if err != nil {
		return api.ImportResult{}, err
	}
	before, numbers, err := s.service.Outcomes().Import(ctx, in.caller, in.store, *replay)
	if err != nil {
		return api.ImportResult{}, err
	}
	hash := sha256.New()
	body = io.TeeReader(body, hash)
	if before == "" {
		if err := in.run(ctx, body); err != nil {
			return api.ImportResult{}, err
		}
	} else if _, err := io.Copy(io.Discard, body); err != nil {
		return api.ImportResult{}, cutOff(ctx, err)
	}
	replay.Digest = s.service.Secret().Digest("body", string(hash.Sum(nil)))
	if before == "" {
		done := in.summary()
		numbers, err := json.Marshal(counts{done.Created, done.Updated, done.Unchanged, done.Refused})
		if err != nil {
			return api.ImportResult{}, err
		}
		return done, s.service.Outcomes().RecordImport(ctx, in.caller, *replay, numbers)
	}
	if replay.Digest != before {
		return api.ImportResult{}, memory.ErrKeyReused
	}
	var n counts
	if err := json.Unmarshal(numbers, &n); err != nil {
		return api.ImportResult{}, err
	}
	return api.ImportResult{
		Created: n.Created, Updated: n.Updated, Unchanged: n.Unchanged, Refused: n.Refused,
		Refusals: []api.Refusal{}, RefusalsCut: n.Refused > 0,
	}, nil
}

// errCutOff reports a body that ended prematurely.
var errCutOff = problem.New(problem.Malformed, "the body is incomplete; lines before the end may have been written")

// cutOff returns the error of a body that could not be read to EOF.
func cutOff(ctx context.Context, err error) error {
	var undecoded *problem.Problem
	switch {
	case errors.Is(err, limit.ErrStalled), errors.As(err, &undecoded):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errCutOff
}

// importing is the state of one import.
type importing struct {
	surface *Surface
	caller  memory.Caller
	store   string
	result  api.ImportResult

	line  int // number of the last line read, from 1
	batch []memory.PutRequest
	lines []int // line numbers of the batch
	bytes int   // text of the batch
	size  int   // maximum lines of the batch
}

// nextSize returns the size of the next batch, from the size and duration of the
// last one.
func nextSize(size int, took time.Duration) int {
	switch {
	case took < batchTime:
		size *= 2
	case took > 2*batchTime:
		size /= 2
	}
	return min(max(size, minBatch), maxBatch)
}

func (in *importing) run(ctx context.Context, body io.Reader) error {
	reader := bufio.NewReaderSize(body, 64<<10)
	for {
		text, tooLong, err := readLine(reader, in.surface.maxBody)
		if err != nil && !errors.Is(err, io.EOF) {
			return cutOff(ctx, err)
		}
		last := err != nil
		if len(text) > 0 || tooLong || !last {
			in.line++
			if err := in.take(text, tooLong); err != nil {
				in.refuse(in.line, err)
			}
		}
		if last || len(in.batch) >= in.size || in.bytes >= batchBytes {
			if err := in.write(ctx); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
}

// take adds a line to the batch. An error is the reason to refuse the line.
func (in *importing) take(text []byte, tooLong bool) error {
	if tooLong {
		return problem.New(problem.TooLarge, "the line is too long")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	var line api.ImportLine
	if err := decode(text, &line); err != nil {
		return err
	}
	request, err := in.request(&line)
	if err != nil {
		return err
	}
	in.batch, in.lines, in.bytes = append(in.batch, request), append(in.lines, in.line), in.bytes+len(text)
	return nil
}

func (in *importing) request(line *api.ImportLine) (memory.PutRequest, error) {
	for _, named := range []*string{line.Store, line.StoreId} {
		if named != nil && *named != in.store && (*named != self || in.store != in.caller.Agent) {
			return memory.PutRequest{}, problem.In(problem.Rule, "store", "must be the store of the call")
		}
	}
	return memory.PutRequest{
		Path:  memory.Path{Store: in.store, Namespace: or(line.Namespace, ""), Key: line.Key},
		Value: line.Value, Type: line.Type, Description: line.Description, Tags: line.Tags,
		InContext: line.InContext, Encrypted: line.Encrypted, TTL: duration(line.Ttl), ExpiresAt: line.ExpiresAt,
		OccurredAt: line.OccurredAt, Source: or(line.Source, nil),
	}, nil
}

// write commits the batch, unless the token has expired or was revoked since the
// import began.
func (in *importing) write(ctx context.Context) error {
	if len(in.batch) == 0 {
		return nil
	}
	if _, err := server.Judge(ctx, true); err != nil {
		return err
	}
	started := time.Now()
	outcomes, err := in.surface.service.PutAll(ctx, in.caller, in.batch)
	if err != nil {
		return err
	}
	in.size = nextSize(len(in.batch), time.Since(started))
	for i, outcome := range outcomes {
		switch {
		case outcome.Err != nil:
			in.refuse(in.lines[i], outcome.Err)
		case outcome.Unchanged:
			in.result.Unchanged++
		case outcome.Created:
			in.result.Created++
		default:
			in.result.Updated++
		}
	}
	in.batch, in.lines, in.bytes = in.batch[:0], in.lines[:0], 0
	return nil
}

// summary returns the result with the refused lines in order. They are collected
// out of order: the decoder refuses a line before the service refuses earlier
// lines of the same batch.
func (in *importing) summary() api.ImportResult {
	slices.SortFunc(in.result.Refusals, func(a, b api.Refusal) int { return a.Line - b.Line })
	if len(in.result.Refusals) > maxRefusals {
		in.result.Refusals, in.result.RefusalsCut = in.result.Refusals[:maxRefusals], true
	}
	return in.result
}

// refuse counts and lists a refused line. The list may exceed maxRefusals
// by a batch, since the lines are not in order yet.
func (in *importing) refuse(line int, err error) {
	in.result.Refused++
	if len(in.result.Refusals) == maxRefusals+maxBatch {
		return
	}
	p := problem.From(err)
	refusal := api.Refusal{Line: line, Type: p.Type(), Title: p.Title, Status: p.Status}
	for into, text := range map[**string]string{&refusal.Detail: p.Detail, &refusal.Field: p.Field, &refusal.Limit: p.Limit} {
		if text != "" {
			*into = &text
		}
	}
	in.result.Refusals = append(in.result.Refusals, refusal)
}

// readLine reads a line without its line feed. It skips a line above the limit
// and reports tooLong. The error is io.EOF with the last line.
func readLine(r *bufio.Reader, limit int64) (text []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			text = append(text, part...)
		}
		if tooLong = tooLong || int64(len(text)) > limit; tooLong {
			text = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimSuffix(text, []byte("\n")), tooLong, err
	}
}
