// Package compress codes the bodies of answers, and decodes those of requests,
// with gzip (RFC 1952) and zstd (RFC 8878):
//
//	handler = compress.Answers(handler)
//
//	unpacked, done, err := unpacker.Unpack(r, caller)
package compress

import (
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

const (
	// minAnswer is the length of the shortest answer that is compressed, in bytes.
	// A shorter answer fits into one packet anyway.
	minAnswer = 1 << 10
	// gzipLevel is 1 to 9. Higher levels take twice the time for a tenth less of JSON.
	gzipLevel = 3
	// jitter bounds the random-looking bytes that are added to a compressed answer.
	// They are a function of its first jitterFrom bytes, so that a client cannot
	// average them out by repeating the request.
	jitter     = 64
	jitterFrom = 16 << 10
)

// etagSuffixes end the entity tags of compressed answers: each representation
// needs its own strong tag (RFC 9110 §8.8.3).
var etagSuffixes = []string{"-gzip", "-zstd"}

// compressible are the media types of answers that are compressed. Event
// streams are not compressed: they would wait for a block to fill.
var compressible = []string{
	"application/json", "application/problem+json", "application/x-ndjson", "text/markdown", "text/plain", "text/html",
}

// varyEncoding is the Vary field of an answer that could have been compressed.
// Its capacity is its length, so that append copies it.
var varyEncoding = []string{"Accept-Encoding"}

// Answers returns a handler like h that compresses answers above 1 kB for clients that
// accept compression. It prefers gzip to zstd unless the client prefers zstd: the
// padding of zstd is a separate frame, which some clients cannot read (httpx, if it
// arrives in a separate packet).
// Answers with a Content-Encoding are left unchanged.
func Answers(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minAnswer), gzhttp.CompressionLevel(gzipLevel), gzhttp.PreferZstd(false), gzhttp.SuffixETag(etagSuffixes[0]),
		gzhttp.ContentTypeFilter(isCompressible), gzhttp.SetContentType(false),
		// SECURITY: the exact length would reveal whether an answer repeats a secret
		// (BREACH), to an attacker who reads the network and can write entries that
		// the answer shows.
		gzhttp.RandomJitter(jitter, jitterFrom, true),
	)
	if err != nil {
		panic(err) // of constants
	}
	compressed := wrap(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") == "" { // at no cost
			w.Header()["Vary"] = varyEncoding
			h.ServeHTTP(w, r)
			return
		}
		compressed(w, r)
	})
}

func isCompressible(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	return slices.Contains(compressible, strings.ToLower(strings.TrimSpace(media)))
}

// Holds reports whether the values of If-None-Match name an answer's entity tag, plain or
// with the suffix of a compressed answer. The server's tags contain no commas, so the list
// can be split at commas.
func Holds(ifNoneMatch []string, tag string) bool {
	base := baseOf(tag)
	for one := range strings.SplitSeq(strings.Join(ifNoneMatch, ","), ",") {
		if one = strings.TrimSpace(one); one == "*" || baseOf(one) == base {
			return true
		}
	}
	return false
}

// baseOf is BaseTag for an entity tag, weak or strong.
func baseOf(tag string) string {
	return BaseTag(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`))
}

// BaseTag returns the opaque part of an entity tag without the suffix of
// compressed answers.
func BaseTag(opaque string) string {
	for _, suffix := range etagSuffixes {
		if base, ok := strings.CutSuffix(opaque, suffix); ok {
			return BaseTag(base)
		}
	}
	return opaque
}
