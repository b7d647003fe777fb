package maxsim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// randomToken returns a random token that resembles those of the encoder: the variance of its
// components decreases.
func randomToken(r *rand.Rand) *[Dim]float32 {
	var x [Dim]float32
	for i := range x {
		x[i] = float32(r.NormFloat64() / math.Sqrt(float64(1+i)))
	}
	return &x
}

func randomQuery(r *rand.Rand, tokens int) []Vector {
	query := make([]Vector, tokens)
	for i := range query {
		query[i] = Quantize(randomToken(r))
	}
	return query
}

func randomCodes(r *rand.Rand, tokens int) []byte {
	var codes []byte
	for range tokens {
		codes = AppendCode(codes, randomToken(r))
	}
	return codes
}

// decode returns the components of a code. It follows the description of the format, not the
// code under test.
func decode(code []byte) (v [Dim]float64) {
	for i, b := range code {
		v[i], v[TokenSize+i] = float64(b%16)-8, float64(b/16)-8
	}
	return v
}

func floats(q Vector) (v [Dim]float64) {
	for i, c := range q {
		v[i] = float64(c)
	}
	return v
}

// cosine is 0 if a vector has no direction.
func cosine(a, b [Dim]float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// exact computes what Best computes, in float64 and without a kernel.
func exact(query []Vector, codes []byte) []float64 {
	best := make([]float64, len(query))
	for i, q := range query {
		for n := 0; n < len(codes); n += TokenSize {
			c := cosine(floats(q), decode(codes[n:][:TokenSize]))
			if n == 0 || c > best[i] {
				best[i] = c
			}
		}
	}
	return best
}

// kernels are the kernels that can run on this machine.
var kernels = map[string]kernel{"portable": bestPortable, runtime.GOARCH: fastest}

// requireBest fails unless every kernel gives the cosines that exact gives, and the same bits
// as the portable kernel.
func requireBest(t *testing.T, query []Vector, codes []byte) {
	t.Helper()
	want, reference := exact(query, codes), make([]float32, len(query))
	if err := newQuery(bestPortable, query).Best(codes, reference); err != nil {
		t.Fatal(err)
	}
	for name, k := range kernels {
		got := make([]float32, len(query))
		if err := newQuery(k, query).Best(codes, got); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(reference[i]) {
				t.Fatalf("%s, token %d of %d, %d bytes: %v, portable %v", name, i, len(query), len(codes), got[i], reference[i])
			}
			if math.Abs(float64(got[i])-want[i]) > 1e-6 {
				t.Fatalf("%s, token %d of %d, %d bytes: %v, exactly %v", name, i, len(query), len(codes), got[i], want[i])
			}
		}
	}
}

func TestEveryKernelGivesTheLargestCosineWithTheSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, queries := range []int{1, 2, 16, queryTokens, queryTokens + 1, 70} {
		for tokens := range 2*laneCount + 2 {
			requireBest(t, randomQuery(r, queries), randomCodes(r, tokens))
		}
	}
	requireBest(t, randomQuery(r, 9), randomCodes(r, 509))
}

func TestKernelsDoNotOverflow(t *testing.T) {
	fill := func(v int8) (q Vector) {
		for i := range q {
			q[i] = v
		}
		return q
	}
	query := []Vector{fill(127), fill(-127), fill(-128), fill(0), {127}, {0, -1}}
	var codes []byte
	for _, b := range []byte{0x00, 0xff, 0x88, 0x80, 0x08, 0x11, 0x7f} {
		for range TokenSize {
			codes = append(codes, b)
		}
	}
	for from := 0; from < len(codes); from += TokenSize {
		requireBest(t, query, codes[from:][:TokenSize]) // each alone: its own cosine is the largest
	}
	requireBest(t, query, codes)
}

func TestOrderAndCopiesOfTokensChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	query := randomQuery(r, 5)
	for tokens := 1; tokens < 12; tokens++ {
		codes := randomCodes(r, tokens)
		var shuffled []byte
		for _, i := range r.Perm(tokens) {
			shuffled = append(shuffled, codes[i*TokenSize:][:TokenSize]...)
		}
		shuffled = append(shuffled, codes...)
		want, got := make([]float32, len(query)), make([]float32, len(query))
		if err := errors.Join(Best(query, codes, want), Best(query, shuffled, got)); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%d tokens: %v, in another order and twice %v", tokens, want[i], got[i])
			}
		}
	}
}

func TestATokenFindsItself(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		x := randomToken(r)
		codes := AppendCode(randomCodes(r, r.IntN(50)), x)
		codes = append(codes, randomCodes(r, r.IntN(50))...)
		var best [1]float32
		if err := Best([]Vector{Quantize(x)}, codes, best[:]); err != nil {
			t.Fatal(err)
		}
		if best[0] < .95 || best[0] > 1+1e-6 {
			t.Errorf("a token's cosine with its own code is %v", best[0])
		}
	}
}

func TestCodesKeepDirectionsButNotLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		x := randomToken(r)
		var exact [Dim]float64
		scaled := *x
		for i, c := range x {
			exact[i] = float64(c)
			scaled[i] = c * 1024
		}
		code := AppendCode(nil, x)
		if len(code) != TokenSize {
			t.Fatalf("a code of %d bytes", len(code))
		}
		if c := cosine(exact, decode(code)); c < .95 {
			t.Errorf("code: cosine %v with the token", c)
		}
		if c := cosine(exact, floats(Quantize(x))); c < .9998 {
			t.Errorf("vector: cosine %v with the token", c)
		}
		if string(AppendCode(nil, &scaled)) != string(code) || Quantize(&scaled) != Quantize(x) {
			t.Error("the code depends on the token's length")
		}
		largest := 0
		for _, c := range Quantize(x) {
			largest = max(largest, max(int(c), -int(c)))
		}
		if largest != querySteps {
			t.Errorf("the largest magnitude of a vector is %d", largest)
		}
		for _, b := range code {
			if b&15 == 0 || b>>4 == 0 {
				t.Errorf("code byte %#x has a component of -8", b)
			}
		}
	}
}

func TestATokenWithoutDirectionHasCosineZero(t *testing.T) {
	var zero [Dim]float32
	if Quantize(&zero) != (Vector{}) {
		t.Error("the vector of zeros is not zero")
	}
	r := rand.New(rand.NewPCG(9, 10))
	x := randomToken(r)
	opposite := *x
	for i := range opposite {
		opposite[i] = -opposite[i]
	}
	codes := AppendCode(AppendCode(nil, &zero), &opposite)
	best := []float32{9, 9}
	if err := Best([]Vector{Quantize(x), {}}, codes, best); err != nil || best[0] != 0 || best[1] != 0 {
		t.Errorf("best is %v, error %v", best, err)
	}
}

func TestNoTokensMeanNoSimilarity(t *testing.T) {
	best := []float32{9, 9}
	if err := Best(make([]Vector, 2), nil, best); err != nil || best[0] != 0 || best[1] != 0 {
		t.Errorf("no codes: best is %v, error %v", best, err)
	}
	if err := Best(nil, make([]byte, TokenSize), nil); err != nil {
		t.Errorf("no query: error %v", err)
	}
}

func TestCodesOfPartOfATokenAreRefused(t *testing.T) {
	for _, n := range []int{1, TokenSize - 1, TokenSize + 1, 4*TokenSize + 31} {
		if err := Best(make([]Vector, 2), make([]byte, n), make([]float32, 2)); !errors.Is(err, ErrCodes) {
			t.Errorf("%d bytes: error %v", n, err)
		}
	}
}

func FuzzBest(f *testing.F) {
	r := rand.New(rand.NewPCG(11, 12))
	f.Add(make([]byte, Dim), []byte{})
	f.Add(make([]byte, Dim), []byte{1})
	f.Add(make([]byte, 3*Dim), randomCodes(r, 6))
	f.Fuzz(func(t *testing.T, asked, codes []byte) {
		query := make([]Vector, min(len(asked)/Dim, 2*queryTokens))
		for i := range query {
			for j, b := range asked[i*Dim:][:Dim] {
				query[i][j] = int8(b)
			}
		}
		if len(codes)%TokenSize != 0 {
			if err := Best(query, codes, make([]float32, len(query))); !errors.Is(err, ErrCodes) {
				t.Fatalf("%d bytes: error %v", len(codes), err)
			}
			return
		}
		requireBest(t, query, codes)
	})
}

// A question has 16 tokens, and it is compared with 100 candidates.
func BenchmarkBest(b *testing.B) {
	const candidates, asked = 100, 16
	r := rand.New(rand.NewPCG(13, 14))
	query, best := randomQuery(r, asked), make([]float32, asked)
	for _, tokens := range []int{50, 500} {
		codes := make([][]byte, candidates)
		for i := range codes {
			codes[i] = randomCodes(r, tokens)
		}
		for name, k := range kernels {
			b.Run(fmt.Sprintf("tokens=%d/%s", tokens, name), func(b *testing.B) {
				for b.Loop() {
					for _, c := range codes {
						if err := newQuery(k, query).Best(c, best); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}

func TestVectorsOfCodesHaveTheDirectionsOfTheTokens(t *testing.T) {
	codes := randomCodes(rand.New(rand.NewPCG(5, 6)), 9)
	vectors, err := Vectors(codes, 7)
	if err != nil || len(vectors) != 7 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for i, v := range vectors {
		if floats(v) != decode(codes[i*TokenSize:][:TokenSize]) {
			t.Errorf("token %d: %v", i, v)
		}
	}
	best := make([]float32, len(vectors))
	if err := Best(vectors, codes, best); err != nil {
		t.Fatal(err)
	}
	for i, cosine := range best {
		if cosine < 0.9999 {
			t.Errorf("token %d has a cosine of %v with itself", i, cosine)
		}
	}
	if all, err := Vectors(codes, 100); err != nil || len(all) != 9 {
		t.Errorf("%d of 9 vectors, %v", len(all), err)
	}
	if _, err := Vectors(codes[1:], 7); !errors.Is(err, ErrCodes) {
		t.Errorf("damaged codes: %v", err)
	}
}
