//go:build unix

package faults

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"
)

// fakeDim is the length of the fake embedder's vectors.
const fakeDim = 32

// uniqueWord matches the words that word returns.
var uniqueWord = regexp.MustCompile(`\bw[a-j]+q\b`)

// fakeEmbedder starts a fake remote embedder: the OpenAI API over loopback, with a
// delay of up to 20 ms, like a network's. A text's vector depends only on its unique
// word, so a word has the same vector as the texts that contain it, and is far from
// all other texts.
func fakeEmbedder(t *testing.T) (baseURL string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, "not an embeddings request", http.StatusBadRequest)
			return
		}
		type embedding struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var answer struct {
			Data []embedding `json:"data"`
		}
		for i, text := range request.Input {
			answer.Data = append(answer.Data, embedding{i, fakeVector(text)})
		}
		select {
		case <-time.After(time.Duration(rand.IntN(20)) * time.Millisecond): //nolint:gosec // a network's delay
		case <-r.Context().Done():
			return
		}
		_ = json.NewEncoder(w).Encode(answer) // the client may have been killed
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// fakeVector returns the unit vector of a text.
func fakeVector(text string) []float32 {
	if word := uniqueWord.FindString(text); word != "" {
		text = word
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text))               // a hash never fails
	rng := rand.New(rand.NewPCG(hash.Sum64(), 0)) //nolint:gosec // a reproducible vector
	v := make([]float32, fakeDim)
	var length float64
	for i := range v {
		x := rng.NormFloat64()
		v[i], length = float32(x), length+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(length))
	}
	return v
}
