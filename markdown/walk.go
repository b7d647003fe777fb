package markdown

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxFile bounds a file that is read, in bytes. The service's own limit on
// values is far below it.
const maxFile = 64 << 20

// Read gives the content of a file that Walk found.
func Read(root *os.Root, file string) ([]byte, []Problem) {
	in, err := root.Open(file)
	if err != nil {
		return nil, []Problem{{1, "cannot be read: " + bareError(err)}}
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, []Problem{{1, "cannot be read: " + bareError(err)}}
	}
	if len(text) > maxFile {
		return nil, []Problem{{1, fmt.Sprintf("is larger than %d bytes", maxFile)}}
	}
	return text, nil
}

// bareError is an error of a file system without the path.
func bareError(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}

// Walk yields the Markdown files below a folder, in the order of their names:
// those under trash/ too, but not the index. Hidden files and folders are
// passed over, and so is what other tells: foreign is a file of another kind;
// else it may hold entries, and is a link or cannot be read.
func Walk(root *os.Root, yield func(file string) error, other func(file, reason string, foreign bool)) error {
	return fs.WalkDir(root.FS(), ".", func(file string, entry fs.DirEntry, err error) error {
		name := path.Base(file)
		switch {
		case err != nil && file == ".":
			return err
		case file == "." || file == IndexFile:
		case strings.HasPrefix(name, "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case err != nil:
			other(file, "cannot be read: "+bareError(err), false)
			return fs.SkipDir
		case entry.IsDir():
		case entry.Type()&fs.ModeSymlink != 0:
			other(file, "is a symbolic link, and links are not followed", false)
		case !entry.Type().IsRegular():
			other(file, "is no regular file", false)
		case !strings.HasSuffix(name, extension):
			other(file, "is no .md file", true)
		default:
			return yield(file)
		}
		return nil
	})
}
