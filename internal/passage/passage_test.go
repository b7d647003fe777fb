package passage_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mneme/internal/passage"
	"mneme/test/wait"
)

func texts(text string, spans []passage.Span) (all []string) {
	for _, s := range spans {
		all = append(all, text[s.Start:s.End])
	}
	return all
}

func TestATextIsCutAtSentencesAndLines(t *testing.T) {
	for text, want := range map[string][]string{
		"":          nil,
		" \n\t ":    nil,
		"One. Two!": {"One.", "Two!"},
		"He asked: “Why?” Nobody knew… (Nobody.) So.": {"He asked: “Why?”", "Nobody knew…", "(Nobody.)", "So."},
		"Dr. Ng paid 3.50 to J. Doe of example.com.":  {"Dr. Ng paid 3.50 to J. Doe of example.com."},
		"# Title\n\n- one\n- two\r\n1. three":         {"# Title", "- one", "- two", "1. three"},
		"if x {\n\treturn y.z()\n}":                   {"if x {", "return y.z()", "}"},
		"我住在柏林。你呢？「好。」他说":                             {"我住在柏林。", "你呢？", "「好。」", "他说"},
		"यह एक है। वह दो।":                            {"यह एक है।", "वह दो।"},
		"هل تعلم؟ نعم.":                               {"هل تعلم؟", "نعم."},
		"Really?! Yes...":                             {"Really?!", "Yes..."},
		"a...b.).c .) d ..。e A.) f":                   {"a...b.).c .)", "d ..。", "e A.) f"},
	} {
		if got := texts(text, passage.Split(text)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestALongSentenceIsCutBetweenWords(t *testing.T) {
	text := strings.Repeat("granite and slate ", 40)
	for _, part := range texts(text, passage.Split(text)) {
		if len(part) > passage.MaxSegment || len(part) < passage.MaxSegment/2 && !strings.HasSuffix(text, part+" ") {
			t.Errorf("a part of %d bytes", len(part))
		}
		for _, word := range strings.Fields(part) {
			if word != "granite" && word != "and" && word != "slate" {
				t.Errorf("a word was cut: %q", word)
			}
		}
	}
	thai := strings.Repeat("ที่นี่", 100) // marks belong to the preceding letter
	for _, part := range texts(thai, passage.Split(thai)) {
		if r, _ := utf8.DecodeRuneInString(part); unicode.IsMark(r) {
			t.Errorf("a part begins with the mark %U", r)
		}
	}
}

// evidenceOf marks the segments that contain a letter, one term for each letter.
func evidenceOf(text string, segments []passage.Span, letters string) []passage.Evidence {
	evidence := make([]passage.Evidence, len(segments))
	for i, s := range segments {
		evidence[i] = make(passage.Evidence, len(letters))
		for j := range letters {
			if strings.Contains(text[s.Start:s.End], letters[j:j+1]) {
				evidence[i][j] = 1
			}
		}
	}
	return evidence
}

func TestTheRunWithTheMostEvidenceIsChosen(t *testing.T) {
	text := "n. n. a. n. n. n. n. n. b. a. n. n. n. n. n. a. b."
	segments := passage.Split(strings.ToUpper(text)) // initials do not end sentences: cut by hand
	segments = segments[:0]
	for i := 0; i < len(text); i += 3 {
		segments = append(segments, passage.Span{Start: i, End: i + 2})
	}
	chosen := func(o passage.Options, letters string) (got []string) {
		weights := slices.Repeat([]float64{1}, len(letters))
		for _, c := range passage.Choose(segments, evidenceOf(text, segments, letters), weights, o) {
			got = append(got, text[segments[c.First].Start:segments[c.Last].End])
		}
		return got
	}
	// Evidence in the middle has a larger weight than at the edge.
	if got := chosen(passage.Options{Size: 11, Most: 1}, "ab"); !slices.Equal(got, []string{"n. b. a. n."}) {
		t.Errorf("%q", got)
	}
	if got := chosen(passage.Options{Size: 11, Most: 3, Share: 0.8}, "ab"); !slices.Equal(got, []string{"n. b. a. n.", "n. a. b."}) {
		t.Errorf("%q", got)
	}
	if got := chosen(passage.Options{Size: 5, Most: 5, Share: 0.9}, "z"); !slices.Equal(got, []string{"n. n."}) {
		t.Errorf("without evidence: %q", got)
	}
	if got := passage.Choose(nil, nil, nil, passage.Options{Size: 10, Most: 2}); got != nil {
		t.Errorf("of no segments: %v", got)
	}
}

// choosePlainly is Choose as documented: it reads each run in full.
func choosePlainly(segments []passage.Span, evidence []passage.Evidence, weights []float64, o passage.Options) (choices []passage.Choice) {
	taken := make([]bool, len(segments))
	for len(choices) < max(1, o.Most) {
		c, ok := bestPlainly(segments, evidence, weights, o.Size, taken)
		if !ok || len(choices) > 0 && !(c.Score > 0 && c.Score >= o.Share*choices[0].Score) {
			break
		}
		choices = append(choices, c)
		for i := max(0, c.First-1); i <= min(len(segments)-1, c.Last+1); i++ {
			taken[i] = true
		}
	}
	return choices
}

// bestPlainly returns the best run of segments that are not taken.
func bestPlainly(segments []passage.Span, evidence []passage.Evidence, weights []float64, size int, taken []bool) (b passage.Choice, ok bool) {
	offset := 0.0
	for first := range segments {
		if taken[first] {
			continue
		}
		last := first
		for last+1 < len(segments) && !taken[last+1] && segments[last+1].End-segments[first].Start <= size {
			last++
		}
		most := make([]float64, len(weights))
		sum, moment := 0.0, 0.0
		for i := first; i <= last; i++ {
			share, total := 1.0, 0.0
			if first < last && (i == first && first > 0 || i == last && last+1 < len(segments)) {
				share = 0.7
			}
			for t, met := range evidence[i] {
				most[t] = max(most[t], float64(share*met))
				total += float64(weights[t] * met)
			}
			sum += total
			moment += float64(total * float64(segments[i].Start+segments[i].End))
		}
		c, off := passage.Choice{First: first, Last: last}, 0.0
		for t, w := range weights {
			c.Score += float64(w * most[t])
		}
		if sum > 0 {
			off = math.Abs(moment/sum-float64(segments[first].Start+segments[last].End)) / 2
		}
		if !ok || c.Score > b.Score || c.Score == b.Score && off < offset {
			b, offset, ok = c, off, true
		}
	}
	return b, ok
}

func TestChooseMatchesAFullScan(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(r, "terms")
		met := rapid.OneOf(rapid.SampledFrom([]float64{0, 0, 1}), rapid.Float64Range(0.01, 1))
		weights := rapid.SliceOfN(rapid.OneOf(rapid.Just(0.25), rapid.Float64Range(0.01, 1)), n, n).Draw(r, "weights")
		var segments []passage.Span
		var evidence []passage.Evidence
		end := 0
		for _, length := range rapid.SliceOfN(rapid.IntRange(1, 20), 0, 40).Draw(r, "lengths") {
			segments = append(segments, passage.Span{Start: end, End: end + length})
			end += length + 1
			var of passage.Evidence
			if rapid.Bool().Draw(r, "some") {
				of = rapid.SliceOfN(met, n, n).Draw(r, "evidence")
			}
			evidence = append(evidence, of)
		}
		o := passage.Options{
			Size: rapid.IntRange(-1, 100).Draw(r, "size"), Most: rapid.IntRange(0, 4).Draw(r, "most"), Share: rapid.Float64Range(0, 1).Draw(r, "share"),
		}
		got, want := passage.Choose(segments, evidence, weights, o), choosePlainly(segments, evidence, weights, o)
		if !slices.Equal(got, want) {
			r.Fatalf("%+v, want %+v", got, want)
		}
	})
}

// Reading a run of stops again at each stop, or each run of segments in full, would take
// hours here.
func TestLongRunsAreReadOnce(t *testing.T) {
	done := make(chan int)
	go func() { done <- len(passage.Split(strings.Repeat(".", 4<<20) + "x")) }()
	wait.For(t, "a text of dots is cut", done)

	lines := passage.Split(strings.Repeat("1\n", 1<<20))
	evidence := make([]passage.Evidence, len(lines))
	for i := range evidence { // decreasing evidence
		met := 1 - float64(i)/float64(len(lines))
		evidence[i] = passage.Evidence{met, met, met, met}
	}
	go func() {
		done <- len(passage.Choose(lines, evidence, []float64{1, 1, 1, 1}, passage.Options{Size: 4 << 20, Most: 2}))
	}()
	if n := wait.For(t, "a passage is chosen among many lines", done); n != 1 {
		t.Errorf("%d passages", n)
	}
}

func FuzzPassage(f *testing.F) {
	for _, text := range []string{"One. Two", "我住在柏林。你呢", "ที่นี่", "a\xffb", "e\u0301\u200d", strings.Repeat("x", 600), strings.Repeat("👩‍👩‍👧‍👦", 40), "1. a\r\n\u2028b"} {
		f.Add(text, 100, 2, "ab")
	}
	f.Fuzz(func(t *testing.T, text string, size, most int, letters string) {
		if len(letters) > 8 || most > 10 {
			return
		}
		segments := passage.Split(text)
		end := 0
		for _, s := range segments {
			if s.Start < end || s.End <= s.Start || s.End > len(text) || s.Len() > passage.MaxSegment {
				t.Fatalf("segment %v after %d", s, end)
			}
			if strings.TrimSpace(text[end:s.Start]) != "" {
				t.Fatalf("%q is in no segment", text[end:s.Start])
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[s.Start:s.End]) {
				t.Fatalf("segment %q cuts a character", text[s.Start:s.End])
			}
			end = s.End
		}
		if strings.TrimSpace(text[end:]) != "" {
			t.Fatalf("%q is in no segment", text[end:])
		}
		weights := slices.Repeat([]float64{1}, len(letters))
		chosen := passage.Choose(segments, evidenceOf(text, segments, letters), weights, passage.Options{Size: size, Most: most, Share: 0.5})
		if (len(chosen) == 0) != (len(segments) == 0) || len(chosen) > max(1, most) {
			t.Fatalf("%d passages of %d segments", len(chosen), len(segments))
		}
		for i, c := range chosen {
			if c.First > c.Last || c.Last >= len(segments) {
				t.Fatalf("%+v of %d segments", c, len(segments))
			}
			if c.First < c.Last && segments[c.Last].End-segments[c.First].Start > size {
				t.Fatalf("%+v has more than %d bytes", c, size)
			}
			for _, other := range chosen[:i] {
				if c.First <= other.Last+1 && other.First <= c.Last+1 {
					t.Fatalf("%+v touches %+v", c, other)
				}
			}
		}
	})
}
