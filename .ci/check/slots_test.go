package main

import (
	"slices"
	"testing"
	"testing/synctest"
)

func TestTheLowestNumberGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1)
		s.acquire(0)
		order := make(chan int, 3)
		for _, number := range []int{3, 1, 2} {
			go func() {
				s.acquire(number)
				order <- number
				s.release()
			}()
		}
		synctest.Wait()
		s.release()
		if got := []int{<-order, <-order, <-order}; !slices.IsSorted(got) {
			t.Errorf("they went in the order %v", got)
		}
	})
}
