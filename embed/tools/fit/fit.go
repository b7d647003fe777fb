// Package fit fits the projection of an encoder's token codes: the mean of the token
// vectors of some texts, and their first principal components. The same texts give the
// same bytes on every machine.
package fit

import (
	"context"
	"errors"
	"runtime"

	"golang.org/x/sync/errgroup"

	"mneme/embed/e5"
	"mneme/embed/e5/projection"
	"mneme/embed/maxsim"
)

// Fitted is a projection and how well it fits the tokens from which it was made.
type Fitted struct {
	projection.Projection
	// Tokens is the number of tokens to which it was fitted.
	Tokens int
	// Explained is the share of the tokens' variance that the projection retains, from 0 to 1.
	Explained float64
}

// batch is the number of passages that are encoded before their tokens are added up.
const batch = 64

// Passages fits a projection to the tokens of passages. There must be more tokens than
// components. Passages are encoded concurrently, but their tokens are added in order, so that
// rounding is the same every time. The encoder must be one without codes.
func Passages(ctx context.Context, encoder *e5.Encoder, passages []string) (*Fitted, error) {
	m := newMoments(encoder.Dim())
	for from := 0; from < len(passages); from += batch {
		texts := passages[from:min(from+batch, len(passages))]
		vectors := make([][][]float32, len(texts))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i, text := range texts {
			group.Go(func() (err error) {
				vectors[i], err = encoder.TokenVectors(ctx, text)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for _, tokens := range vectors {
			for _, x := range tokens {
				m.add(x)
			}
		}
	}
	if m.count <= maxsim.Dim {
		return nil, errors.New("the texts have too few tokens")
	}
	mean, covariance := m.covariance()
	values, axes := eigen(covariance, m.width)
	f := &Fitted{Tokens: m.count}
	f.Encoder = encoder.Fingerprint()
	for _, x := range mean {
		f.Mean = append(f.Mean, float32(x))
	}
	for _, x := range axes[:maxsim.Dim*m.width] {
		f.Components = append(f.Components, float32(x))
	}
	var kept, all float64
	for i, v := range values {
		if all += v; i < maxsim.Dim {
			kept += v
		}
	}
	f.Explained = kept / all
	return f, nil
}
