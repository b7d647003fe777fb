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

// maxFile is the maximum size of a file to read, in bytes. The service's limit on values is far
// below it.
const maxFile = 64 << 20

// Read returns the contents of a file that Walk found.
func Read(root *os.Root, file string) ([]byte, []Problem) {
	in, err := root.Open(file)
	if err != nil {
		return nil, []Problem{{1, "cannot be read: " + reasonOfIO(err)}}
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, []Problem{{1, "cannot be read: " + reasonOfIO(err)}}
	}
	if len(text) > maxFile {
		return nil, []Problem{{1, fmt.Sprintf("is larger than %d bytes", maxFile)}}
	}
	return text, nil
}

// reasonOfIO returns the text of a file system error without the path.
func reasonOfIO(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// Walk calls yield for each Markdown file below a folder in lexical order, including files
// under trash/ but not the index. It skips hidden files and folders. It calls other for every
// other skipped file: with foreign if it is another kind of file, and without if it is a link
// or is unreadable and may hold entries.
func Walk(root *os.Root, yield func(file string) error, other func(file, reason string, foreign bool)) error {
	return fs.WalkDir(root.FS(), ".", func(file string, entry fs.DirEntry, err error) error {
		name := path.Base(file)
		switch {
		case err != nil && file == ".":
			return err
		case file == "." || file == IndexFile:
		case strings.HasPrefix(name, "."):
			if original, ok := Away(file); ok && strings.HasSuffix(original, extension) && !entry.IsDir() {
				other(file, "stands for a file that is not on this computer", true)
			}
			if entry.IsDir() {
				return fs.SkipDir
			}
		case err != nil:
			other(file, "cannot be read: "+reasonOfIO(err), false)
			return fs.SkipDir
		case entry.IsDir():
		case entry.Type()&fs.ModeSymlink != 0:
			other(file, "is a symbolic link, and links are not followed", false)
		case !entry.Type().IsRegular():
			other(file, "is not a regular file", false)
		case !strings.HasSuffix(name, extension):
			other(file, "is not a .md file", true)
		default:
			return yield(file)
		}
		return nil
	})
}
