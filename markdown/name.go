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

// Bounds of names, in bytes. File systems take 255 for one name; macOS takes
// 1,024 for a whole path, the folder's own included.
const (
	maxSegment = 150
	maxPath    = 400
)

// FileName is the file of an entry, as a path with slashes: key.md, and of a
// namespace @namespace/key.md. It depends on nothing but the two, is safe on
// every file system and stays below the folder. What cannot be in a name is
// %XX; what is too long is cut, and ends with ~ and a digest.
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

// reserved tells the names of devices on Windows, in lower case, without what
// follows their first dot.
func reserved(stem string) bool {
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

// escape makes one segment safe. A folder may not end like a file: a and
// a.md/b are two entries.
func escape(segment string, folder bool) string {
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		unsafe := strings.IndexByte(`%~<>:"\|?*/`, c) >= 0 || c < ' ' || c == 0x7f
		switch {
		case unsafe,
			i == 0 && (c == '.' || c == ' '), // hidden; lost
			folder && i == len(segment)-1 && (c == '.' || c == ' '),
			folder && c == '.' && strings.EqualFold(segment[i:], extension):
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	text := b.String()
	stem, _, _ := strings.Cut(text, ".")
	if reserved(strings.ToLower(strings.TrimRight(stem, " "))) {
		return escapeFirst(text)
	}
	return text
}

// escapeTop keeps the first segment of a key apart from the folder's own
// names: namespaces, the index and the trash.
func escapeTop(segment string, file bool) string {
	index := strings.TrimSuffix(IndexFile, extension)
	if segment != "" && segment[0] == '@' || file && strings.EqualFold(segment, index) || !file && strings.EqualFold(segment, TrashFolder) {
		return escapeFirst(segment)
	}
	return segment
}

func escapeFirst(text string) string { return fmt.Sprintf("%%%02X", text[0]) + text[1:] }

// shorten cuts a segment that is too long and tells such apart by a digest.
func shorten(segment string, limit int) string {
	if len(segment) <= limit {
		return segment
	}
	return cut(segment, limit-17) + "~" + digest(segment)
}

// cut is the beginning of an escaped segment, of whole characters and escapes.
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

// Names gives every entry of a folder a file of its own, on file systems too
// that do not tell apart upper and lower case, or two spellings in Unicode.
type Names struct {
	taken   map[string]bool
	deleted map[string]int
}

// NewNames begins a folder.
func NewNames() *Names { return &Names{taken: make(map[string]bool), deleted: make(map[string]int)} }

// File is the file of the next entry. Where its FileName is another's, it ends
// with ~ and a digest.
func (n *Names) File(namespace, key string) (string, error) {
	for _, name := range []string{FileName(namespace, key), apart(namespace, key)} {
		if folded := fold(name); !n.taken[folded] {
			n.taken[folded] = true
			return name, nil
		}
	}
	return "", errors.New("two entries have one file name")
}

// Deleted is the file of the next deleted entry. Of several at one key, the
// later ones end with ~2, ~3 and so on.
func (n *Names) Deleted(namespace, key string) string {
	name := TrashFolder + "/" + FileName(namespace, key)
	folded := fold(name)
	n.deleted[folded]++
	if number := n.deleted[folded]; number > 1 {
		name = mark(name, strconv.Itoa(number))
	}
	return name
}

func apart(namespace, key string) string {
	return mark(FileName(namespace, key), digest(namespace, key))
}

// mark puts a mark behind a file's name. Escaped names have no ~ of their own.
func mark(name, text string) string {
	return strings.TrimSuffix(name, extension) + "~" + text + extension
}

// fold is what case-insensitive file systems compare.
func fold(name string) string {
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(name)))
}

// places are the files, folded, that may hold an entry: those that an export
// would write, and the one that bears the key as it stands.
func places(namespace, key string) []string {
	all := []string{fold(FileName(namespace, key)), fold(apart(namespace, key))}
	if namespace == "" {
		all = append(all, fold(key+extension))
	}
	return all
}

// Belongs tells whether a file may hold the entry.
func Belongs(file, namespace, key string) bool {
	return slices.Contains(places(namespace, key), fold(file))
}

// Files are files of a folder, as case-insensitive file systems tell them
// apart.
type Files map[string]bool

// Add puts a file to them.
func (f Files) Add(file string) { f[fold(file)] = true }

// Hold tells whether one of them may hold the entry, or may have been meant to.
func (f Files) Hold(namespace, key string) bool {
	return slices.ContainsFunc(places(namespace, key), func(place string) bool { return f[place] })
}

// EntryOf is the entry that a file's path names, if its frontmatter does not:
// ok is false where the path was cut or is none that an export writes.
func EntryOf(file string) (namespace, key string, ok bool) {
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
