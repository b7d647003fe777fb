package e5

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns n values that resemble the encoder's: normally distributed, with outliers.
func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
		if r.IntN(100) == 0 {
			x[i] *= 20
		}
	}
	return x
}

func requireSame(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s[%d] = %g, portable gives %g", what, i, got[i], want[i])
		}
	}
}

// eachKernels runs a test for every set of kernels that this processor supports.
func eachKernels(t *testing.T, f func(t *testing.T, k *kernels)) {
	for _, k := range supported() {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

func TestProductGivesTheBitsOfPortableForEveryNumberOfRows(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(1, 1))
		for rows := 1; rows <= 30; rows++ {
			for _, groups := range []int{1, 2, 12, 48} {
				for _, panels := range []int{2, 4} {
					compareProducts(t, k, r, rows, groups, panels)
				}
			}
		}
	})
}

// compareProducts requires that a product of random values has the same bits as by the portable
// kernels, and that the columns on both sides of it stay unchanged. With five and with six
// rows, the sums are the largest possible.
func compareProducts(t *testing.T, k *kernels, r *rand.Rand, rows, groups, panels int) {
	t.Helper()
	in, out := groups*group, (panels+4)*panel
	a, m := make([]int8, rows*in), newMatrix(in, out)
	for i := range a {
		a[i] = int8(r.IntN(2*largestStep+1) - largestStep)
		if rows == 5 || rows == 6 {
			a[i] = -largestStep
		}
	}
	for i := range m.q {
		m.q[i] = int8(r.IntN(256) - 128)
		switch rows {
		case 5:
			m.q[i] = 127
		case 6:
			m.q[i] = -128
		}
	}
	copy(m.scale, random(r, len(m.scale)))
	copy(m.bias, random(r, len(m.bias)))
	steps := make([]groupStep, rows*groups)
	for i, size := range random(r, len(steps)) {
		steps[i].size = size * 1e-4
		for _, v := range a[i*group:][:group] {
			steps[i].offset -= weightShift * int32(v)
		}
	}
	got, want := make([]float32, rows*out), make([]float32, rows*out)
	portable.product(want, a, steps, rows, &m, 2*panel, (2+panels)*panel)
	m = m.flipped(k.flip)
	k.product(got, a, steps, rows, &m, 2*panel, (2+panels)*panel)
	requireSame(t, fmt.Sprintf("rows %d groups %d panels %d", rows, groups, panels), got, want)
}

func TestMultiplyGivesTheBitsOfPortableForEveryNumberOfRows(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(2, 2))
		for rows := 1; rows <= 30; rows++ {
			for _, n := range []int{1, 2, 31, 32, 77} {
				lda, ldb, ldc := n+3, panel+5, panel+1
				a, b := random(r, rows*lda), random(r, n*ldb)
				got, want := make([]float32, rows*ldc), make([]float32, rows*ldc)
				k.multiply(got, ldc, a, lda, rows, b, ldb, n)
				portable.multiply(want, ldc, a, lda, rows, b, ldb, n)
				requireSame(t, fmt.Sprintf("rows %d k %d", rows, n), got, want)
			}
		}
	})
}

func TestVectorFunctionsGiveTheBitsOfPortable(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(3, 3))
		for _, n := range []int{32, 96, 384, 512, 1536} {
			x := random(r, n)
			if n == 96 {
				x = make([]float32, n)
				x[7] = -math.MaxFloat32
			}
			got, want := slices.Clone(x), slices.Clone(x)
			k.softmax(got, n)
			portable.softmax(want, n)
			requireSame(t, "softmax", got, want)

			x = random(r, n)
			got, want = slices.Clone(x), slices.Clone(x)
			k.gelu(got)
			portable.gelu(want)
			requireSame(t, "gelu", got, want)
			for i, v := range x {
				exact := float64(v) / 2 * (1 + math.Erf(float64(v)/math.Sqrt2))
				if d := math.Abs(exact - float64(want[i])); d > 9e-5*max(1, math.Abs(float64(v))/12) {
					t.Fatalf("gelu(%g) = %g, exactly %g", v, want[i], exact)
				}
			}

			y, gamma, beta := random(r, n), random(r, n), random(r, n)
			got, want = slices.Clone(x), slices.Clone(x)
			k.addNorm(got, y, gamma, beta)
			portable.addNorm(want, y, gamma, beta)
			requireSame(t, "addNorm", got, want)
		}
	})
}

func TestRowsGiveTheBitsOfRowsAlone(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(5, 5))
		for _, rows := range []int{1, 2, 3, 4, 5, 8, 9, 32, 33, 65} {
			for _, n := range []int{32, 96, 384} {
				x, y, gamma, beta := random(r, rows*n), random(r, rows*n), random(r, n), random(r, n)
				got, want := slices.Clone(x), slices.Clone(x)
				k.softmax(got, n)
				for i := 0; i < len(x); i += n {
					portable.softmax(want[i:i+n], n)
				}
				requireSame(t, fmt.Sprintf("softmax of %d rows", rows), got, want)
				got, want = slices.Clone(x), slices.Clone(x)
				k.addNorm(got, y, gamma, beta)
				for i := 0; i < len(x); i += n {
					portable.addNorm(want[i:i+n], y[i:i+n], gamma, beta)
				}
				requireSame(t, fmt.Sprintf("addNorm of %d rows", rows), got, want)
			}
		}
	})
}

func TestFusedKernelsGiveTheBitsOfPortable(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *kernels) {
		if k.fused == nil {
			t.Skip("none")
		}
		r := rand.New(rand.NewPCG(6, 6))
		for _, n := range []int{1, 2, 15, 16, 17, 31, 32, 33, 64, 95, 511, 512} {
			got, want := newScratch(n), newScratch(n)
			copy(got.qkv, random(r, len(got.qkv)))
			copy(want.qkv, got.qkv)
			never := func() error { return nil }
			if err := errors.Join(got.attend(k, 0, n, never), want.attend(&portable, 0, n, never)); err != nil {
				t.Fatal(err)
			}
			requireSame(t, fmt.Sprintf("means of %d rows", n), got.attention.mean, want.attention.mean)
			requireSame(t, fmt.Sprintf("centered keys of %d rows", n), got.qkv, want.qkv)
			requireSame(t, fmt.Sprintf("scales of the values of %d rows", n), got.attention.values.scale, want.attention.values.scale)
			requireSame(t, fmt.Sprintf("context of %d rows", n), got.context, want.context)
			if values := want.attention.values.flipped(k.flip); !slices.Equal(got.attention.values.q, values.q) {
				t.Fatalf("values of %d rows differ", n)
			}
		}
	})
}

func TestExpIsWithinItsError(t *testing.T) {
	for x := float32(0); x > -87; x -= 0.0137 {
		if exact := math.Exp(float64(x)); math.Abs(float64(exp(x))-exact) > 5e-7*exact {
			t.Fatalf("exp(%g) = %g, exactly %g", x, exp(x), exact)
		}
	}
}

func TestQuantizeGivesTheSameStepsOnEveryKernel(t *testing.T) {
	eachKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(4, 4))
		for _, n := range []int{32, 96, 128, 160, 384, 1536, 1664, 4 * 1536} {
			for _, x := range [][]float32{random(r, n), make([]float32, n)} {
				got, want := make([]int8, n), make([]int8, n)
				a, b := make([]groupStep, n/group), make([]groupStep, n/group)
				k.quantize(got, a, x)
				portable.quantize(want, b, x)
				if !slices.Equal(a, b) || !slices.Equal(got, want) {
					t.Fatalf("n %d: steps or values differ", n)
				}
			}
		}
	})
}
