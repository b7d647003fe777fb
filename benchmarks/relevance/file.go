package relevance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// file is a file of a dataset, which may be inside the program.
type file struct {
	fsys fs.FS
	path string // in fsys
	name string // in errors
}

// osFile returns a file of the operating system.
func osFile(path string) file {
	return file{os.DirFS(filepath.Dir(path)), filepath.Base(path), path}
}

func (f file) exists() bool {
	_, err := fs.Stat(f.fsys, f.path)
	return err == nil
}

// readLines calls each for every line of the file that is not blank, without its
// line end. It prefixes errors with the file and the line number.
func (f file) readLines(each func(line []byte) error) error {
	opened, err := f.fsys.Open(f.path)
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			err = failed.Err // without the path in fsys
		}
		return fmt.Errorf("read dataset: %s: %w", f.name, err)
	}
	defer opened.Close()
	reader := bufio.NewReaderSize(opened, 1<<16)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s:%d: %w", f.name, number, err)
		}
		if text := strings.TrimRight(string(line), "\r\n"); strings.TrimSpace(text) != "" {
			if err := each([]byte(text)); err != nil {
				return fmt.Errorf("%s:%d: %w", f.name, number, err)
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
