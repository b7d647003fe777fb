package postgres

import (
	"crypto/sha256"
	"errors"

	"mneme/acl"
	"mneme/lexical"
)

// document is what an entry is indexed by.
type document struct {
	store  int64
	place  int64
	label  acl.Label
	length int
	terms  []byte // encodeTerms
}

var errTerms = errors.New("postgres: a document's terms are damaged")

// termKey is a term as table posting knows it. Terms are at most
// lexical.MaxTermBytes; a longer one, which no analysis of today gives and no
// index of PostgreSQL would take, stands there as a digest behind a byte that
// begins no text.
func termKey(term string) string {
	if len(term) <= lexical.MaxTermBytes {
		return term
	}
	digest := sha256.Sum256([]byte(term))
	return "\xff" + string(digest[:])
}

// encodeTerms keeps terms by their keys, each as its length in bytes, its
// bytes and its count: lexical.MaxTermCount fits into a byte.
func encodeTerms(terms []lexical.Term) []byte {
	b := make([]byte, 0, 10*len(terms))
	for _, t := range terms {
		key := termKey(t.Text)
		b = append(b, byte(len(key)))
		b = append(b, key...)
		b = append(b, byte(min(t.Count, lexical.MaxTermCount)))
	}
	return b
}

// decodeTerms calls yield for each term that encodeTerms wrote.
func decodeTerms(b []byte, yield func(term string, count uint8)) error {
	for len(b) > 0 {
		size := int(b[0])
		if len(b) < size+2 {
			return errTerms
		}
		yield(string(b[1:1+size]), b[1+size])
		b = b[size+2:]
	}
	return nil
}
