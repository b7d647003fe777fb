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
	// A shorter one fits into one packet anyhow.
	minAnswer = 1 << 10
	// gzipLevel is 1 to 9. Higher levels take twice the time for a tenth less of JSON.
	gzipLevel = 3
	// jitter bounds the random-looking bytes that are added to a compressed answer.
	// They are a function of its first jitterFrom bytes, so that asking again does
	// not average them out.
	jitter     = 64
	jitterFrom = 16 << 10
)

// etagSuffixes are what an entity tag of a compressed answer ends with: another
// representation has another strong tag (RFC 9110 §8.8.3).
var etagSuffixes = []string{"-gzip", "-zstd"}

// compressible are the media types of answers that are compressed. Streams of
// events are not: they would wait for a block to fill.
var compressible = []string{
	"application/json", "application/problem+json", "application/x-ndjson", "text/markdown", "text/plain", "text/html",
}

// varyEncoding is the field Vary of an answer that could have been compressed. It
// has no room, so that appending to it copies.
var varyEncoding = []string{"Accept-Encoding"}

// Answers returns a handler like h whose answers above 1 kB are compressed for
// clients that accept it: gzip rather than zstd, unless the client prefers that. The
// padding of zstd is a frame of its own, which some clients cannot read (httpx, when it
// comes in a packet of its own).
// Answers that have a Content-Encoding are left as they are.
func Answers(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minAnswer), gzhttp.CompressionLevel(gzipLevel), gzhttp.PreferZstd(false), gzhttp.SuffixETag(etagSuffixes[0]),
		gzhttp.ContentTypeFilter(isCompressible), gzhttp.SetContentType(false),
		// SECURITY: the exact length would tell who reads the network, and can write
		// entries that an answer shows, whether they repeat a secret in it (BREACH).
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

// Holds reports whether the values of If-None-Match name an entity tag of an answer, or the
// one that it has compressed. The tags of this server have no commas, so the list can be
// split at each.
func Holds(ifNoneMatch []string, tag string) bool {
	base := baseOf(tag)
	for one := range strings.SplitSeq(strings.Join(ifNoneMatch, ","), ",") {
		if one = strings.TrimSpace(one); one == "*" || baseOf(one) == base {
			return true
		}
	}
	return false
}

// baseOf is BaseTag of an entity tag, weak or not.
func baseOf(tag string) string {
	return BaseTag(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`))
}

// BaseTag returns the opaque part of an entity tag without the suffixes that
// compressed answers gave it.
func BaseTag(opaque string) string {
	for _, suffix := range etagSuffixes {
		if base, ok := strings.CutSuffix(opaque, suffix); ok {
			return BaseTag(base)
		}
	}
	return opaque
}
