package markdown

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Bounds of names, in bytes. File systems allow 255 for one name; macOS allows 1,024 for a
// whole path, including the export folder's.
const (
	maxSegment = 150
	maxPath    = 400
)

// FileName returns the slash-separated path of an entry's file: key.md, or @namespace/key.md.
// It depends only on namespace and key. The path is valid on every file system and stays below
// the folder: characters that file names cannot contain are escaped as %XX, and long names are
// cut and end with ~ and a digest.
func FileName(namespace, key string) string {
	segments := strings.Split(key, "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		segment = escape(segment, !last)
		if i == 0 && namespace == "" {
			segment = escapeTop(segment, last)
		}
		segments[i] = shorten(segment, maxSegment)
	}
	folder := ""
	if namespace != "" {
		folder = "@" + shorten(escape(namespace, true), maxSegment) + "/"
	}
	path := strings.Join(segments, "/")
	if len(path) > maxPath {
		path = cut(segments[0], maxSegment) + "~" + digest(namespace, key)
	}
	return norm.NFC.String(folder + path + extension)
}

// isReserved reports whether a file name is a device on Windows. stem is the part of the name
// before its first dot, in lower case.
func isReserved(stem string) bool {
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	number, ok := strings.CutPrefix(stem, "com")
	if !ok {
		number, ok = strings.CutPrefix(stem, "lpt")
	}
	return ok && utf8.RuneCountInString(number) == 1 && strings.Contains("0123456789¹²³", number)
}

// escape escapes one segment for file systems. It also escapes .md at the end of a folder's
// name, since the entries a and a.md/b may both exist.
func escape(segment string, folder bool) string {
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		unsafe := strings.IndexByte(`%~<>:"\|?*/`, c) >= 0 || c < ' ' || c == 0x7f
		switch {
		case unsafe,
			i == 0 && (c == '.' || c == ' '), // hidden on Unix; trimmed by some tools
			folder && i == len(segment)-1 && (c == '.' || c == ' '),
			folder && c == '.' && strings.EqualFold(segment[i:], extension):
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	text := b.String()
	stem, _, _ := strings.Cut(text, ".")
	if isReserved(strings.ToLower(strings.TrimRight(stem, " "))) {
		return escapeFirst(text)
	}
	return text
}

// escapeTop escapes the first segment of a key if it could be taken for a
// namespace, the index or the trash.
func escapeTop(segment string, file bool) string {
	index := strings.TrimSuffix(IndexFile, extension)
	if segment != "" && segment[0] == '@' || file && strings.EqualFold(segment, index) || !file && strings.EqualFold(segment, TrashFolder) {
		return escapeFirst(segment)
	}
	return segment
}

func escapeFirst(text string) string { return fmt.Sprintf("%%%02X", text[0]) + text[1:] }

// shorten cuts a segment longer than limit, and appends a digest so that it stays distinct.
func shorten(segment string, limit int) string {
	if len(segment) <= limit {
		return segment
	}
	return cut(segment, limit-17) + "~" + digest(segment)
}

// cut returns at most limit bytes of an escaped segment, without splitting a
// character or an escape.
func cut(segment string, limit int) string {
	if len(segment) <= limit {
		return segment
	}
	for limit > 0 && !utf8.RuneStart(segment[limit]) {
		limit--
	}
	segment = segment[:limit]
	if at := strings.LastIndexByte(segment, '%'); at >= 0 && at > len(segment)-3 {
		segment = segment[:at]
	}
	return segment
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// Names assigns each entry of a folder a distinct file name, also on file
// systems that ignore case or Unicode normalization.
type Names struct {
	taken   map[string]bool
	deleted map[string]int
}

// NewNames returns the Names of an empty folder.
func NewNames() *Names { return &Names{taken: make(map[string]bool), deleted: make(map[string]int)} }

// File returns the file of the next entry: its FileName, or if that is taken, the same name
// with ~ and a digest.
func (n *Names) File(namespace, key string) (string, error) {
	for _, name := range []string{FileName(namespace, key), distinctName(namespace, key)} {
		if folded := fold(name); !n.taken[folded] {
			n.taken[folded] = true
			return name, nil
		}
	}
	return "", errors.New("two entries have the same file name")
}

// Deleted returns the file of the next deleted entry. If a key has several deleted entries, the
// second ends with ~2, the third with ~3 and so on.
func (n *Names) Deleted(namespace, key string) string {
	name := TrashFolder + "/" + FileName(namespace, key)
	folded := fold(name)
	n.deleted[folded]++
	if number := n.deleted[folded]; number > 1 {
		name = addSuffix(name, strconv.Itoa(number))
	}
	return name
}

// distinctName returns an entry's FileName with a digest.
func distinctName(namespace, key string) string {
	return addSuffix(FileName(namespace, key), digest(namespace, key))
}

// addSuffix adds ~ and a text to a file name. In escaped names, ~ occurs only before the digest
// of a long name.
func addSuffix(name, text string) string {
	return strings.TrimSuffix(name, extension) + "~" + text + extension
}

// fold returns the form of a name that case-insensitive file systems compare.
func fold(name string) string {
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(name)))
}

// possibleFiles returns the folded names of the files that may hold an entry: the names that an
// export would use, and the unescaped key with .md.
func possibleFiles(namespace, key string) []string {
	all := []string{fold(FileName(namespace, key)), fold(distinctName(namespace, key))}
	if namespace == "" {
		all = append(all, fold(key+extension))
	}
	return all
}

// Belongs reports whether a file may hold the entry.
func Belongs(file, namespace, key string) bool {
	return slices.Contains(possibleFiles(namespace, key), fold(file))
}

// Files is a set of file names in a folder, by folded name.
type Files map[string]bool

// Add adds a file.
func (f Files) Add(file string) { f[fold(file)] = true }

// Hold reports whether one of the files may hold the entry.
func (f Files) Hold(namespace, key string) bool {
	return slices.ContainsFunc(possibleFiles(namespace, key), func(file string) bool { return f[file] })
}

// EntryPath returns the namespace and key that a file's path encodes, for files whose
// frontmatter has no name. ok is false if the path contains a digest or an invalid escape.
func EntryPath(file string) (namespace, key string, ok bool) {
	file = norm.NFC.String(strings.TrimSuffix(file, extension))
	segments := strings.Split(file, "/")
	for i, segment := range segments {
		if i == 0 && len(segments) > 1 && strings.HasPrefix(segment, "@") {
			segment = segment[1:]
		}
		plain, ok := unescape(segment)
		if !ok {
			return "", "", false
		}
		segments[i] = plain
	}
	if len(segments) > 1 && strings.HasPrefix(file, "@") {
		return segments[0], strings.Join(segments[1:], "/"), true
	}
	return "", strings.Join(segments, "/"), true
}

func unescape(segment string) (string, bool) {
	if strings.Contains(segment, "~") {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		if segment[i] != '%' {
			b.WriteByte(segment[i])
			continue
		}
		if i+2 >= len(segment) {
			return "", false
		}
		c, err := strconv.ParseUint(segment[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), true
}
