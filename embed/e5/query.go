package e5

import (
	"context"
	"slices"

	"mneme/embed"
)

// passTokens is the number of tokens up to which waiting questions are embedded in one pass. A
// pass reads all weights, which takes most of the time for a question of a dozen tokens, so
// more tokens cost little. Above some fifty tokens, another token adds its full cost: sharing a
// pass would then only make the questions wait longer.
const passTokens = 64

// question is a query to embed, and its answer.
type question struct {
	encoder *Encoder
	ids     []int32
	spans   []span
	answer  embed.Query
}

// pass is a run of the model for several questions. It is cancelled when all of its callers
// have given up.
type pass struct {
	done    chan struct{} // closed when the answers are ready, or the pass was given up
	cancel  context.CancelFunc
	callers int // guarded by gate.mu
}

// giveUp ends the wait of one caller. gate.mu must be locked.
func (p *pass) giveUp() {
	if p.callers--; p.callers == 0 {
		p.cancel()
	}
}

// Query embeds one query. Passages in progress pause for it, but retain a quarter of the
// processors' time: see gate. Otherwise a query waits only for other queries, if there are
// more of them than processors. Short queries overtake long ones, and waiting short
// queries are embedded in one batch, which changes no bit of their vectors. Text beyond
// the window is cut off. The only error is the context's.
func (e *Encoder) Query(ctx context.Context, text string) (embed.Query, error) {
	e.Load()
	q := &question{encoder: e}
	q.ids, q.spans = e.tokenizer.encodeSpans(queryPrefix, text)
	run := &run{lane: &e.gate.queries, tokens: len(q.ids), question: q}
	if err := e.gate.admit(ctx, run); err != nil {
		return embed.Query{}, err
	}
	if run.pass == nil {
		shared, questions := e.gate.gather(ctx, run)
		if len(questions) == 1 {
			err := e.answer(ctx, run, questions)
			return q.answer, err
		}
		go e.answerPass(shared, run, questions)
	}
	return e.gate.share(ctx, run)
}

// gather returns the questions that a run, which has a slot, embeds: its own question, and the
// next ones of those that still wait for their first slot. All have at most passTokens
// together, and the waiting questions are divided among the slots. If there are several, they
// form a pass, and gather returns its context.
func (g *gate) gather(ctx context.Context, r *run) (context.Context, []*question) {
	g.mu.Lock()
	defer g.mu.Unlock()
	questions := []*question{r.question}
	waiting := &g.queries.waiting
	for n := ceil(len(*waiting), g.slots); n > 0; n-- {
		next := (*waiting)[0]
		if next.begun || next.question == nil || r.tokens+next.tokens > passTokens {
			break
		}
		if r.pass == nil {
			r.pass = &pass{done: make(chan struct{}), callers: 1}
			ctx, r.pass.cancel = context.WithCancel(context.WithoutCancel(ctx))
		}
		*waiting = (*waiting)[1:]
		r.tokens += next.tokens
		r.pass.callers++
		next.pass = r.pass
		close(next.turn)
		questions = append(questions, next.question)
	}
	return ctx, questions
}

// share waits until the pass that the question has joined has answered it.
func (g *gate) share(ctx context.Context, r *run) (embed.Query, error) {
	select {
	case <-r.pass.done:
		return r.question.answer, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	r.pass.giveUp()
	return embed.Query{}, ctx.Err()
}

// answerPass is answer for a pass. It ignores an error, because answer fails only if no caller
// is waiting any more.
func (e *Encoder) answerPass(ctx context.Context, r *run, questions []*question) {
	defer r.pass.cancel()
	defer close(r.pass.done)
	_ = e.answer(ctx, r, questions)
}

// answer embeds questions in a run that has a slot. At the end it gives the slot back.
func (e *Encoder) answer(ctx context.Context, r *run, questions []*question) error {
	s := e.scratch(r.tokens)
	defer e.free.Put(s)
	texts, vectors := make([][]int32, len(questions)), make([][]float32, len(questions))
	for i, q := range questions {
		texts[i] = q.ids
	}
	err := e.model.forward(e.kernels, s, texts, vectors, func() error { return e.gate.pause(ctx, r) })
	if err != nil {
		return err // from pause, which has given the slot back
	}
	e.mapped.used()
	if coded := slices.IndexFunc(questions, func(q *question) bool { return q.encoder.projector != nil }); coded >= 0 {
		questions[coded].encoder.projector.project(e.kernels, s, r.tokens)
	}
	first := 0
	for i, q := range questions {
		tokens := q.encoder.queryTokens(s, first, q.ids, q.spans)
		q.answer = embed.Query{Vector: vectors[i], Tokens: tokens, Multilingual: !e.English()}
		first += len(q.ids)
	}
	e.gate.leave(r)
	return nil
}
