package robutler

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mneme/memory"
)

// normalKey normalizes a client's key. A key that breaks the rules is not refused: the
// TypeScript skill renames by a PUT of the new key, whose answer it ignores, and a
// DELETE of the old one. If no character remains the result is "", which the service
// refuses.
func normalKey(key string) string {
	var segments []string
	for segment := range strings.SplitSeq(normalText(key), "/") {
		if segment != "" && segment != "." && segment != ".." {
			segments = append(segments, segment)
		}
	}
	return shorten(strings.Join(segments, "/"))
}

// normalPrefix normalizes a client's key prefix. A prefix of which no character
// remains is returned unchanged: it matches no key, and the service refuses it.
func normalPrefix(prefix string) string {
	normal := normalKey(prefix)
	switch {
	case normal == "":
		return strings.Trim(prefix, "/")
	case strings.HasSuffix(prefix, "/") && len(normal) < memory.MaxKey:
		return normal + "/"
	}
	return normal
}

// normalText returns a text in NFC, without the characters that keys must not
// have.
func normalText(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return norm.NFC.String(text)
}

// shorten truncates a key to the maximum length. It ends the key with a digest of
// the whole, so that long keys stay distinct.
func shorten(key string) string {
	if len(key) <= memory.MaxKey {
		return key
	}
	digest := sha256.Sum256([]byte(key))
	end := "~" + hex.EncodeToString(digest[:8])
	cut := memory.MaxKey - len(end)
	for !utf8.RuneStart(key[cut]) {
		cut--
	}
	return norm.NFC.String(strings.TrimRight(key[:cut], "/")) + end
}
