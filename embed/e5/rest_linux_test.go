package e5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"testing"
	"unsafe"

	"mneme/embed"
	"mneme/test/wait"
)

// mappedPages returns how many pages of a file the process has mapped, and how many pages the
// file has. A page is mapped if bit 63 of its number in pagemap is set (proc_pid_pagemap(5)).
func mappedPages(t *testing.T, file []byte) (mapped, all int) {
	t.Helper()
	pages, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Skip(err)
	}
	defer pages.Close()
	size := uintptr(os.Getpagesize())
	first := uintptr(unsafe.Pointer(unsafe.SliceData(file)))/size + 1
	all = len(file)/int(size) - 2
	entries := make([]byte, 8*all)
	if _, err := pages.ReadAt(entries, int64(first)*8); err != nil {
		t.Skip(err)
	}
	for i := range all {
		mapped += int(binary.LittleEndian.Uint64(entries[8*i:]) >> 63)
	}
	return mapped, all
}

// An idle model takes no memory for the word embeddings that texts touched.
func TestPagesAreReleasedWhenIdle(t *testing.T) {
	e, err := New(Options{Multilingual: true, Lazy: true})
	if err != nil {
		t.Fatal(err)
	}
	e.Load()
	released := func() error {
		if mapped, all := mappedPages(t, multilingual.file()); mapped >= all/50 {
			return fmt.Errorf("%d of %d pages are mapped", mapped, all)
		}
		return nil
	}
	wait.Until(t, "the pages of loading are released", released)
	var want embed.Query
	wait.Until(t, "pages are read", func() error { // again, if the process was suspended
		want = mustQuery(t, e, "Wer trinkt morgens grünen Tee? 庭には水が必要です ливень")
		if mapped, _ := mappedPages(t, multilingual.file()); mapped == 0 {
			return errors.New("none is")
		}
		return nil
	})
	wait.Until(t, "the pages of the question are released", released)
	if got := mustQuery(t, e, "Wer trinkt morgens grünen Tee? 庭には水が必要です ливень"); got.Vector[0] != want.Vector[0] {
		t.Error("the vectors differ after a rest")
	}
}
