package e5

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"mneme/embed"
	"mneme/embed/e5/projection"
	"mneme/embed/maxsim"
)

// codedEncoder is testEncoder with codes. It shares the weights.
func codedEncoder(t testing.TB) *Encoder {
	t.Helper()
	e, err := testEncoder(t).WithCodes()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func mustQuery(t testing.TB, e *Encoder, text string) embed.Query {
	t.Helper()
	q, err := e.Query(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func mustPassages(t testing.TB, e *Encoder, texts ...string) []embed.Passage {
	t.Helper()
	passages, err := e.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return passages
}

var codedTexts = []string{
	"When did Caroline go to the LGBTQ support group?",
	"Ada trinkt ihren Tee grün, ohne Zucker: 3 Tassen am Tag!",
	"日本語のテキスト", "Cafe\u0301 \u200bNAI\u0308VETÉ ≠ naïveté", "", " ", "x", "…",
}

func TestCodesChangeNoVector(t *testing.T) {
	plain, coded := testEncoder(t), codedEncoder(t)
	before, after := mustPassages(t, plain, codedTexts...), mustPassages(t, coded, codedTexts...)
	for i, text := range codedTexts {
		if !slices.Equal(before[i].Vector, after[i].Vector) || !slices.Equal(mustQuery(t, plain, text).Vector, mustQuery(t, coded, text).Vector) {
			t.Errorf("%q: vectors differ with and without codes", text)
		}
		if before[i].Codes != nil {
			t.Errorf("%q: an encoder without codes made some", text)
		}
		plainTokens, codedTokens := mustQuery(t, plain, text).Tokens, mustQuery(t, coded, text).Tokens
		if len(plainTokens) != len(codedTokens) {
			t.Fatalf("%q: %d tokens without codes, %d with", text, len(plainTokens), len(codedTokens))
		}
		for j, token := range plainTokens {
			if want := (embed.Token{Start: codedTokens[j].Start, End: codedTokens[j].End}); token != want {
				t.Errorf("%q: without codes token %d is %+v, want %+v", text, j, token, want)
			}
		}
		if after[i].Codes == nil || mustQuery(t, coded, text).Tokens == nil {
			t.Errorf("%q: an encoder with codes made none", text)
		}
	}
}

func TestPrefixAndSpecialTokensHaveNoCode(t *testing.T) {
	e := codedEncoder(t)
	for i, p := range mustPassages(t, e, codedTexts...) {
		text := codedTexts[i]
		want := len(e.tokenizer.encode("", text)) - 2
		if len(p.Codes) != want*maxsim.TokenSize {
			t.Errorf("%q: %d bytes of codes for %d tokens", text, len(p.Codes), want)
		}
		if n := len(mustQuery(t, e, text).Tokens); n != want {
			t.Errorf("%q: %d tokens, want %d", text, n, want)
		}
	}
	if n := len(mustPassages(t, e, textOf(2000))[0].Codes) / maxsim.TokenSize; n != maxTokens-4 {
		t.Errorf("a text beyond the window has %d codes", n)
	}
	if n := len(mustQuery(t, e, textOf(2000)).Tokens); n != maxTokens-4 {
		t.Errorf("a query beyond the window has %d tokens", n)
	}
}

// The test projects the passage's token vectors in float64, and compares their codes with those
// of the passage.
func TestCodesAreTheProjectedTokens(t *testing.T) {
	e := codedEncoder(t)
	p, err := projection.Parse(englishProjection)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{codedTexts[0], textOf(300)} {
		vectors, err := e.TokenVectors(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		codes := mustPassages(t, e, text)[0].Codes
		if len(codes) != len(vectors)*maxsim.TokenSize {
			t.Fatalf("%d bytes of codes for %d tokens", len(codes), len(vectors))
		}
		for i, v := range vectors {
			var query [maxsim.Dim]float32
			for c := range query {
				sum := 0.0
				for j, x := range v {
					sum += float64(p.Components[c*width+j]) * (float64(x) - float64(p.Mean[j]))
				}
				query[c] = float32(sum)
			}
			var best [1]float32
			if err := maxsim.Best([]maxsim.Vector{maxsim.Quantize(&query)}, codes[i*maxsim.TokenSize:][:maxsim.TokenSize], best[:]); err != nil {
				t.Fatal(err)
			}
			if best[0] < .97 {
				t.Errorf("token %d: its code has cosine %v with it", i, best[0])
			}
		}
	}
}

func TestCodesAreTheSameAloneAndInBatches(t *testing.T) {
	e := codedEncoder(t)
	texts := append(slices.Clone(codedTexts), textOf(300), textOf(70))
	for i, p := range mustPassages(t, e, texts...) {
		if !bytes.Equal(p.Codes, mustPassages(t, e, texts[i])[0].Codes) {
			t.Errorf("text %d: its codes depend on the other texts", i)
		}
	}
}

// The digest was recorded on amd64 with AVX2; all other kernels give the same.
func TestCodesAreTheSameBitsOnEveryMachine(t *testing.T) {
	const want = "3cc22e43a618c4e26fb4664de4f366917cdb6ea4f6324f63211d4c8119867325"
	eachAssembly(t, func(t *testing.T, k *kernels) {
		e, h := withKernels(codedEncoder(t), k), sha256.New()
		for _, text := range codedTexts[:4] {
			for _, token := range mustQuery(t, e, text).Tokens {
				_, _ = fmt.Fprintln(h, token)
			}
			h.Write(mustPassages(t, e, text)[0].Codes)
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != want {
			t.Errorf("digest of the codes is %s, want %s", got, want)
		}
	})
}

func TestPortableCodesAreTheSameBits(t *testing.T) {
	e := codedEncoder(t)
	plain, err := New(Options{Portable: true, Codes: true})
	if err != nil {
		t.Fatal(err)
	}
	if plain.Fingerprint() != e.Fingerprint() {
		t.Errorf("fingerprints %q and %q", plain.Fingerprint(), e.Fingerprint())
	}
	const text = "When did Caroline go to the support group?"
	if !bytes.Equal(mustPassages(t, plain, text)[0].Codes, mustPassages(t, e, text)[0].Codes) ||
		!slices.Equal(mustQuery(t, plain, text).Tokens, mustQuery(t, e, text).Tokens) {
		t.Error("the portable kernels make other codes")
	}
}

func TestATokenIsNearestToItsWord(t *testing.T) {
	e := codedEncoder(t)
	passages := mustPassages(t, e, "Caroline went to the support group on 7 May.", "The boiler loses pressure in autumn.")
	query := mustQuery(t, e, "When did Caroline go to the support group?")
	vectors := make([]maxsim.Vector, len(query.Tokens))
	for i, token := range query.Tokens {
		vectors[i] = token.Vector
	}
	var mean [2]float64
	for i, p := range passages {
		best := make([]float32, len(vectors))
		if err := maxsim.Best(vectors, p.Codes, best); err != nil {
			t.Fatal(err)
		}
		for _, b := range best {
			mean[i] += float64(b) / float64(len(best))
		}
	}
	if mean[0] < mean[1]+.1 {
		t.Errorf("the answer scores %.3f, another text %.3f", mean[0], mean[1])
	}
}

func TestTokenSpansAreWordSpans(t *testing.T) {
	e := testEncoder(t)
	const text = "Caf\u00e9 \u200bNAI\u0308VETÉ, unaffable\t日本 x\u0000y"
	ids, spans := e.tokenizer.encodeSpans(queryPrefix, text)
	var words []string
	for i := range ids {
		word := ""
		if hasCode(i, len(ids), e.queryPrefix) {
			word = text[spans[i].start:spans[i].end]
		} else if spans[i] != (span{}) {
			t.Errorf("token %d has a span", i)
		}
		if len(words) == 0 || words[len(words)-1] != word {
			words = append(words, word)
		}
	}
	if got, want := strings.Join(words, "|"), "|Café|NAI\u0308VETÉ|,|unaffable|日|本|x\u0000y|"; got != want {
		t.Errorf("words %q, want %q", got, want)
	}
}

// checkSpans requires that spans are within text and in order, and that the word at each span,
// tokenized alone, has the same tokens.
func checkSpans(t interface{ Fatalf(string, ...any) }, e *Encoder, text string) {
	ids, spans := e.tokenizer.encodeSpans(queryPrefix, text)
	if plain := e.tokenizer.encode(queryPrefix, text); !slices.Equal(ids, plain) || len(spans) != len(ids) {
		t.Fatalf("%q: %d spans, ids %v, without spans %v", text, len(spans), ids, plain)
	}
	end := 0
	for from := 1 + e.queryPrefix; from < len(ids)-1; {
		s, to := spans[from], from+1
		for to < len(ids)-1 && spans[to] == s {
			to++
		}
		if s.start < end || s.end <= s.start || s.end > len(text) {
			t.Fatalf("%q: span %+v after %d of %d bytes", text, s, end, len(text))
		}
		end = s.end
		alone := e.tokenizer.encode("", text[s.start:s.end])
		alone = alone[1 : len(alone)-1]
		if got := ids[from:to]; !slices.Equal(got, alone) && (to < maxTokens-1 || !slices.Equal(got, alone[:min(len(got), len(alone))])) {
			t.Fatalf("%q: word %q has tokens %v, by itself %v", text, text[s.start:s.end], got, alone)
		}
		from = to
	}
}

func TestSpansAreOrderedWordsOfTheText(t *testing.T) {
	e := testEncoder(t)
	for _, text := range append(slices.Clone(codedTexts), textOf(2000), strings.Repeat("unaffable", 20), "\xff\xfe a\xffb", "a\u0301\u0301 \u0301 b") {
		checkSpans(t, e, text)
	}
	rapid.Check(t, func(t *rapid.T) { checkSpans(t, e, rapid.String().Draw(t, "text")) })
}

func TestGoldenSpansAreWordsOfTheText(t *testing.T) {
	e := testEncoder(t)
	for _, r := range goldenRows(t) {
		checkSpans(t, e, r.Text)
	}
}

func FuzzSpans(f *testing.F) {
	for _, text := range codedTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkSpans(t, testEncoder(t), text) })
}

func TestFingerprintsWithCodesNameTheProjection(t *testing.T) {
	plain, coded := testEncoder(t), codedEncoder(t)
	if !strings.HasPrefix(coded.Fingerprint(), plain.Fingerprint()+"+"+codesVersion+"/") {
		t.Errorf("fingerprints %q and %q", plain.Fingerprint(), coded.Fingerprint())
	}
	p, err := projection.Parse(englishProjection)
	if err != nil {
		t.Fatal(err)
	}
	p.Mean[0]++
	other, err := New(Options{Codes: true, Projection: p.Append(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if other.Fingerprint() == coded.Fingerprint() {
		t.Error("another projection has the same fingerprint")
	}
	if again, err := coded.WithCodes(); err != nil || again != coded {
		t.Errorf("codes twice: error %v", err)
	}
}

func TestEncodersWithAndWithoutCodesShareWeightsAndWorkers(t *testing.T) {
	if plain, coded := testEncoder(t), codedEncoder(t); plain.engine != coded.engine {
		t.Error("they do not")
	}
}

func TestBothVariantsServeAtTheSameTime(t *testing.T) {
	const text = "When did Caroline go to the support group?"
	plain, coded := testEncoder(t), codedEncoder(t)
	want := mustPassages(t, coded, text)[0]
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			a, err := plain.Passages(t.Context(), []string{text, textOf(40)})
			b, err2 := coded.Passages(t.Context(), []string{textOf(50), text})
			if err := errors.Join(err, err2); err != nil {
				t.Error(err)
				return
			}
			if a[0].Codes != nil || !bytes.Equal(b[1].Codes, want.Codes) || !slices.Equal(a[0].Vector, want.Vector) {
				t.Error("the embeddings differ from those made alone")
			}
		})
	}
	group.Wait()
}

func TestAnotherProjectionIsRefused(t *testing.T) {
	p, err := projection.Parse(englishProjection)
	if err != nil {
		t.Fatal(err)
	}
	p.Encoder = "another/model"
	if _, err := New(Options{Codes: true, Projection: p.Append(nil)}); err == nil || !strings.Contains(err.Error(), "another/model") {
		t.Errorf("a projection of another model: error %v", err)
	}
	damaged := slices.Clone(englishProjection)
	damaged[len(damaged)/2] ^= 1
	if _, err := New(Options{Codes: true, Projection: damaged}); !errors.Is(err, projection.ErrDamaged) {
		t.Errorf("a damaged projection: error %v", err)
	}
	if _, err := New(Options{Codes: true, Weights: english.file()}); !errors.Is(err, ErrNoProjection) {
		t.Errorf("weights without a projection: error %v", err)
	}
}

// The shipped components are orthogonal and of unit length, up to half precision.
func TestTheShippedComponentsAreOrthonormal(t *testing.T) {
	p, err := projection.Parse(englishProjection)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxsim.Dim {
		for j := range i + 1 {
			sum, want := 0.0, 0.0
			for k := range width {
				sum += float64(p.Components[i*width+k]) * float64(p.Components[j*width+k])
			}
			if i == j {
				want = 1
			}
			if math.Abs(sum-want) > 1e-3 {
				t.Fatalf("components %d and %d have the product %v", i, j, sum)
			}
		}
	}
}
