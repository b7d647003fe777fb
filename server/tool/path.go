package tool

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mneme/acl"
	"mneme/memory"
)

const (
	root   = "/memories"
	shared = "shared" // as the first segment: a store follows, never a key

	// maxPath bounds a path, in bytes. It exceeds every valid path: the root,
	// "shared", a store ID, a key, and the parts that canonicalisation
	// removes.
	maxPath = 2048
	// maxEcho bounds how much of an invalid path an error repeats, in bytes.
	maxEcho = 300
	// maxDecodings is how many layers of percent-encoding are checked. A path
	// with more is refused.
	maxDecodings = 4
)

// resolvedPath is the target of a path: a store, and a key or a folder in it.
// The key of a store's root folder is "".
type resolvedPath struct {
	store  string
	key    string
	folder bool   // a trailing slash, a store's root, or the folder of the shared stores
	stores bool   // the folder of the shared stores
	path   string // canonical, without a trailing slash
}

// top reports whether the path is the root of a store, or the folder of the
// shared stores.
func (p resolvedPath) top() bool { return p.key == "" }

func (p resolvedPath) at() memory.Path { return memory.Path{Store: p.store, Key: p.key} }

func (p resolvedPath) tree() memory.Tree { return memory.Tree{Store: p.store, Folder: p.key} }

// parsePath parses a path. self is the caller's own store. Paths outside
// /memories/shared are in store, or in self if store is "".
//
// SECURITY: a path is only a name and is never decoded, so it cannot escape its
// store. Paths that could escape if they were decoded, normalised or joined are
// refused nevertheless, because exports write keys as file names.
func parsePath(path, self, store string) (resolvedPath, error) {
	rest, ok := strings.CutPrefix(path, root)
	if !ok || rest != "" && !strings.ContainsAny(rest[:1], `/\%`) {
		return resolvedPath{}, refuse("Path must start with /memories, got: %s", shownPath(path))
	}
	if len(path) > maxPath {
		return resolvedPath{}, refuse("Error: path: must have at most %d bytes", maxPath)
	}
	segments, inside := cleaned(rest)
	if rest != "" && rest[0] != '/' || !inside || escapes(root+"/"+strings.Join(segments, "/")) {
		return resolvedPath{}, refuse("Path %s would escape /memories directory", shownPath(path))
	}
	p := resolvedPath{
		store: self, folder: strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, "/.."),
		path: strings.Join(append([]string{root}, segments...), "/"),
	}
	named := len(segments) > 0 && segments[0] == shared
	switch {
	case named && store != "":
		return resolvedPath{}, refuse("Error: give the store in `path` or as `store`, not both")
	case named && len(segments) == 1:
		return resolvedPath{stores: true, folder: true, path: p.path}, nil
	case named:
		p.store, segments = segments[1], segments[2:]
	case store != "":
		p.store = store
		p.path = strings.Join(append([]string{root, shared, store}, segments...), "/")
	}
	if err := acl.CheckID(p.store); err != nil {
		return resolvedPath{}, because(err, "Error: store: %s", acl.ErrBadID)
	}
	p.key = strings.Join(segments, "/")
	if p.key == "" {
		p.folder = true
		return p, nil
	}
	if err := memory.CheckKey(p.key); err != nil {
		var broken *memory.RuleError
		if errors.As(err, &broken) {
			return resolvedPath{}, because(err, "Error: path: the key %s", broken.Rule)
		}
		return resolvedPath{}, err
	}
	return p, nil
}

// cleaned returns the normalised segments of a path below the root, without empty ones
// and "." and with ".." resolved. inside is false if ".." leaves the root, even
// temporarily.
func cleaned(rest string) (segments []string, inside bool) {
	for segment := range strings.SplitSeq(norm.NFC.String(rest), "/") {
		switch segment {
		case "", ".":
		case "..":
			if len(segments) == 0 {
				return nil, false
			}
			segments = segments[:len(segments)-1]
		default:
			segments = append(segments, segment)
		}
	}
	return segments, true
}

// escapes reports whether a path, as written, decoded or normalised, contains
// a sequence that could leave the root in a file system.
func escapes(path string) bool {
	slashes := strings.Count(path, "/")
	for range maxDecodings {
		if suspicious(path) || strings.Count(path, "/") != slashes {
			return true
		}
		decoded, err := url.PathUnescape(path)
		if err != nil { // a percent sign without two hexadecimal digits
			decoded = partlyDecoded(path)
		}
		if decoded == path {
			return false
		}
		path = decoded
	}
	return true
}

// suspicious reports whether a path has a ".." segment, a backslash, a control
// character or a line separator.
func suspicious(path string) bool {
	if !utf8.ValidString(path) || strings.Contains(path, `\`) {
		return true
	}
	for _, r := range path {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return true
		}
	}
	// Full-width and one-character dots become plain ones in some systems.
	for segment := range strings.SplitSeq(norm.NFKC.String(path), "/") {
		if strings.TrimSpace(segment) == ".." {
			return true
		}
	}
	return false
}

// partlyDecoded decodes the valid escapes of a text that also has invalid ones.
func partlyDecoded(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if one, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(one)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// shownPath shortens a path for an error message.
func shownPath(path string) string {
	if len(path) <= maxEcho {
		return path
	}
	return strings.ToValidUTF8(path[:maxEcho], "") + "…"
}
