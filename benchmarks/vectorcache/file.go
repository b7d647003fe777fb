package vectorcache

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// A file consists of magic, records, and the SHA-256 of both. A record is a key,
// the size of its data as uint32, and the data. Numbers are little-endian.
const magic = "mneme vectors 1\n"

const (
	suffix     = ".vectors"
	unfinished = ".tmp-" // prefix of files that are being written
)

const headSize = sha256.Size + 4 // of a record

var errDamaged = errors.New("damaged file")

// write writes records to a new file in dir and returns its path. The file appears
// atomically.
func write(dir string, records map[key][]byte) (path string, err error) {
	file, err := os.CreateTemp(dir, unfinished+"*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	sum := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(file, sum))
	_, _ = out.WriteString(magic) // the buffer keeps its first error until Flush
	for k, data := range records {
		_, _ = out.Write(binary.LittleEndian.AppendUint32(k[:], uint32(len(data))))
		_, _ = out.Write(data)
	}
	if err = out.Flush(); err == nil {
		_, err = file.Write(sum.Sum(nil))
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(file.Name())[len(unfinished):]+suffix)
	return path, os.Rename(file.Name(), path)
}

// index verifies a file's checksum and returns the locations of its
// records. It returns errDamaged for a file that write did not write.
func index(file *os.File) (map[key]location, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	end := info.Size() - sha256.Size
	if end < int64(len(magic)) {
		return nil, errDamaged
	}
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(io.LimitReader(file, end), sum), 1<<16)
	head := make([]byte, headSize)
	if _, err := io.ReadFull(in, head[:len(magic)]); err != nil {
		return nil, unreadable(err)
	}
	if string(head[:len(magic)]) != magic {
		return nil, errDamaged
	}
	found := make(map[key]location)
	for offset := int64(len(magic)); offset < end; {
		if _, err := io.ReadFull(in, head); err != nil {
			return nil, unreadable(err)
		}
		at := location{file: file, offset: offset + headSize, size: binary.LittleEndian.Uint32(head[sha256.Size:])}
		if _, err := io.CopyN(io.Discard, in, int64(at.size)); err != nil {
			return nil, unreadable(err)
		}
		found[key(head[:sha256.Size])] = at
		offset = at.offset + int64(at.size)
	}
	want := make([]byte, sha256.Size)
	if _, err := file.ReadAt(want, end); err != nil {
		return nil, unreadable(err)
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return nil, errDamaged
	}
	return found, nil
}

// unreadable returns errDamaged for a file that ends too early, and other errors
// unchanged.
func unreadable(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errDamaged
	}
	return err
}
