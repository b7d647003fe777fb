package memory

import (
	"slices"

	"golang.org/x/text/unicode/norm"
)

// NormalName returns a key, namespace, tag or prefix in the form in which it is stored: Unicode
// normalization form C (UAX #15). Every call accepts any canonically equivalent form, so that
// the decomposed form of macOS ("e" and U+0301) names the same entry as the form typed
// elsewhere ("é"). The result has at most three times the bytes of name.
func NormalName(name string) string { return norm.NFC.String(name) }

// Normal returns the path with its names normalized.
func (p Path) Normal() Path {
	p.Namespace, p.Key = NormalName(p.Namespace), NormalName(p.Key)
	return p
}

// Normal returns the filter with its names normalized. Those in Where were normalized when it
// was parsed.
func (f Filter) Normal() Filter {
	if f.Namespace != nil {
		f.Namespace = new(NormalName(*f.Namespace))
	}
	f.Tags = normalNames(f.Tags)
	return f
}

// normal returns the tree with its names normalized.
func (t Tree) normal() Tree {
	t.Namespace, t.Folder = NormalName(t.Namespace), NormalName(t.Folder)
	return t
}

// normal returns the request with its names normalized.
func (r PutRequest) normal() PutRequest {
	r.Path = r.Path.Normal()
	if r.Tags != nil {
		r.Tags = new(normalNames(*r.Tags))
	}
	return r
}

// normalRequests returns the requests with their names normalized.
func normalRequests(requests []PutRequest) []PutRequest {
	normal := make([]PutRequest, len(requests))
	for i, r := range requests {
		normal[i] = r.normal()
	}
	return normal
}

// normalNames returns names normalized, or nil for nil.
func normalNames(names []string) []string {
	if !slices.ContainsFunc(names, func(name string) bool { return !norm.NFC.IsNormalString(name) }) {
		return names
	}
	normal := make([]string, len(names))
	for i, name := range names {
		normal[i] = NormalName(name)
	}
	return normal
}
