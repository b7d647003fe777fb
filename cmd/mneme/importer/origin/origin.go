// Package origin reads the exports of other memory systems and assistants, for
// mneme import --from.
//
// Each format has a file of its own, which names its sources. An entry's key consists of
// identifiers in the export, so that a later import of the same export, or of a newer one,
// finds the entries again. Files are read item by item: memory holds one item, of at most
// 64 MiB, and a digest of each entry.
package origin

import (
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mneme/cmd/mneme/importer"
	"mneme/markdown"
)

// format reads the files of one system.
type format interface {
	// member reports whether a file of a folder or an archive is to be read. Its path has
	// slashes.
	member(file string) bool
	// read passes the entries of a file to out and returns the first error of out, or the
	// error of the input. Invalid contents are a Line with Err.
	read(file string, in io.Reader, out output) error
}

type output func(importer.Line) error

// formats are the supported systems, by name.
var formats = map[string]func(now time.Time, zone *time.Location) format{
	"basic-memory": func(time.Time, *time.Location) format { return basicMemory{} },
	"chatgpt":      func(time.Time, *time.Location) format { return chatGPT{} },
	"claude":       func(time.Time, *time.Location) format { return claude{} },
	"graphiti":     func(time.Time, *time.Location) format { return zep{} },
	"letta":        func(time.Time, *time.Location) format { return letta{} },
	Markdown:       func(_ time.Time, zone *time.Location) format { return &notes{zone: zone} },
	"mem0":         func(now time.Time, zone *time.Location) format { return mem0{now: now, zone: zone} },
	"zep":          func(time.Time, *time.Location) format { return zep{} },
}

// Names returns the names of the supported systems, in order.
func Names() []string {
	var names []string
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Reader reads exports of one system.
type Reader struct {
	format    format
	namespace string
	zone      *time.Location
	seen      map[digest]digest // contents of the entries read so far, by namespace and key
	// LeftOut counts files that are not entries: in a folder of Markdown by kind (.png,
	// links, empty), and in any folder conflict copies and the like.
	LeftOut map[string]int
}

type digest [sha256.Size / 2]byte

func digestOf(text []byte) digest {
	sum := sha256.Sum256(text)
	return digest(sum[:len(digest{})])
}

// New returns a Reader of a system's exports. Its entries are in the namespace; zone
// applies to times without one.
func New(name, namespace string, now time.Time, zone *time.Location) (*Reader, error) {
	newFormat, ok := formats[name]
	if !ok {
		return nil, fmt.Errorf("%q is not a known system: %s", name, strings.Join(Names(), ", "))
	}
	return &Reader{format: newFormat(now, zone), namespace: namespace, zone: zone, seen: map[digest]digest{}, LeftOut: map[string]int{}}, nil
}

// Read calls yield for every entry of a file, with the path of the file that contains it.
// The file may be a ZIP archive or a folder, of which Read reads the files of the export;
// "-" is in. Read stops at the first error of yield and returns it.
func (r *Reader) Read(name string, in io.Reader, yield func(file string, line importer.Line) error) error {
	if name == "-" {
		return r.read(name, name, in, yield)
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		root, err := os.OpenRoot(name)
		if err != nil {
			return err
		}
		defer root.Close()
		return r.readAll(name, root.FS(), yield)
	case strings.EqualFold(filepath.Ext(name), ".zip"):
		archive, err := zip.OpenReader(name)
		if err != nil {
			return err
		}
		defer archive.Close()
		return r.readAll(name, archive, yield)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.read(name, filepath.Base(name), f, yield)
}

// readAll reads the files of a folder or an archive that belong to the export.
func (r *Reader) readAll(name string, files fs.FS, yield func(string, importer.Line) error) error {
	found := false
	plain, _ := r.format.(*notes)
	if plain != nil {
		plain.folder(files)
	}
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil && file != "." { // the error of one folder
			found = true
			return yield(filepath.Join(name, filepath.FromSlash(file)), unreadable(err))
		}
		base := path.Base(file)
		kind := r.notOwn(file)
		switch {
		case err != nil:
			return err
		case kind != "" && entry.Type().IsRegular():
			r.LeftOut[kind]++
			return yield(filepath.Join(name, filepath.FromSlash(file)), importer.Line{Number: 1, Err: skipped("is left out: " + kind), Skipped: true})
		case file != "." && (strings.HasPrefix(base, ".") || base == "__MACOSX"):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		case plain != nil && (!plain.member(file) || !entry.Type().IsRegular()):
			r.LeftOut[plain.leftOut(file, entry)]++
			return nil
		case !r.format.member(file):
			return nil
		}
		found = true
		shown := filepath.Join(name, filepath.FromSlash(file))
		if !entry.Type().IsRegular() {
			return yield(shown, importer.Line{Number: 1, Err: errors.New("is a link or another special file, which is not followed")})
		}
		return r.readOne(files, shown, file, yield)
	})
	if err == nil && !found {
		return errors.New("has no file that belongs to such an export")
	}
	return err
}

// readOne reads a file of a folder or an archive. It refuses an unreadable file, and does
// not stop for it.
func (r *Reader) readOne(files fs.FS, shown, file string, yield func(string, importer.Line) error) error {
	in, err := files.Open(file)
	if err != nil {
		return yield(shown, unreadable(err))
	}
	defer in.Close()
	var yielded error
	err = r.read(shown, file, in, func(file string, line importer.Line) error {
		yielded = yield(file, line)
		return yielded
	})
	if err == nil || yielded != nil {
		return err
	}
	return yield(shown, unreadable(err))
}

// unreadable returns the line of an unreadable file or folder.
func unreadable(err error) importer.Line {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) { // the line already has the path
		err = pathErr.Err
	}
	return importer.Line{Number: 1, Err: fmt.Errorf("cannot be read: %w", err)}
}

// notOwn returns the kind of a file that is a conflict copy, a temporary file, or a stub
// of a file stored elsewhere, which would otherwise be read; "" for other files.
func (r *Reader) notOwn(file string) string {
	switch original, away := markdown.Away(file); {
	case away && r.format.member(original):
		return "not on this computer"
	case !r.format.member(file) || strings.HasPrefix(path.Base(file), "."):
		return ""
	case markdown.IsTemporary(file):
		return "temporary"
	case markdown.IsConflictCopy(file):
		return "copies of conflicts"
	}
	return ""
}

// read reads one file. file is its path in the export.
func (r *Reader) read(shown, file string, in io.Reader, yield func(string, importer.Line) error) error {
	if strings.EqualFold(path.Ext(file), ".gz") {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		defer unpacked.Close()
		in = unpacked
	}
	text, note, err := importer.Decode(in)
	if err != nil {
		return err
	}
	if note != nil {
		if err := yield(shown, *note); err != nil {
			return err
		}
	}
	return r.format.read(file, text, func(line importer.Line) error {
		if _, plain := r.format.(*notes); plain && line.Skipped {
			r.LeftOut[line.Err.Error()]++
			return nil
		} else if !plain || r.namespace != "" {
			// In a plain folder without --namespace, the file's path gives the namespace
			// instead.
			line.Put.Path.Namespace = r.namespace
		}
		line.Put.Path = line.Put.Path.Normal()
		if line.Err == nil {
			if line.Put.OccurredAt == nil {
				line.Date(r.zone)
			}
			if r.repeated(&line) {
				return nil
			}
		}
		return yield(shown, line)
	})
}

// repeated reports whether an equal entry was read before. If a different entry has the
// same path, it sets the line's error: importing both would change the entry each time.
func (r *Reader) repeated(line *importer.Line) bool {
	put := &line.Put
	key := digestOf([]byte(put.Path.Namespace + "\x00" + put.Path.Key)) // neither contains NUL
	text, err := json.Marshal([]any{
		put.Value, put.Type, put.Description, put.Tags, put.OccurredAt, put.ExpiresAt, put.InContext, put.Encrypted,
	})
	if err != nil {
		line.Err = errors.New("value: is not valid JSON")
		return false
	}
	contents := digestOf(text)
	before, ok := r.seen[key]
	switch {
	case !ok:
		r.seen[key] = contents
	case before == contents:
		return true
	default:
		line.Err = errors.New("key: another entry of this import has the same one")
	}
	return false
}

// numbered reports whether a path's base is name.json or, as in exports split into several
// files, name-000.json.
func numbered(file, name string) bool {
	rest, ok := strings.CutPrefix(path.Base(file), name)
	if !ok {
		return false
	}
	rest, ok = strings.CutSuffix(rest, ".json")
	return ok && (rest == "" || strings.HasPrefix(rest, "-") && strings.Trim(rest[1:], "0123456789") == "")
}
