#include "textflag.h"

// The other kernels with 512-bit vectors. Here too products are not fused with sums, and
// sums over a row have the same eight lanes: the upper half of a vector is added after the
// lower half.

#define ROW0 (SI)
#define ROW1 (SI)(R9*1)
#define ROW2 (SI)(R9*2)
#define ROW3 (SI)(R10*1)
#define ROW4 (R11)
#define ROW5 (R11)(R9*1)
#define ROW6 (R11)(R9*2)
#define ROW7 (R11)(R10*1)

#define ADD(a, product, sum) \
	VMULPS.BCST a, Z31, product \
	VADDPS product, sum, sum

#define ADD1 VMOVUPS (DI), Z31 ADD(ROW0, Z8, Z0)
#define ADD2 ADD1 ADD(ROW1, Z9, Z1)
#define ADD4 ADD2 ADD(ROW2, Z10, Z2) ADD(ROW3, Z11, Z3)
#define ADD8 ADD4 ADD(ROW4, Z12, Z4) ADD(ROW5, Z13, Z5) ADD(ROW6, Z14, Z6) ADD(ROW7, Z15, Z7)

#define CLEAR4 \
	VPXORD Z0, Z0, Z0 \
	VPXORD Z1, Z1, Z1 \
	VPXORD Z2, Z2, Z2 \
	VPXORD Z3, Z3, Z3

#define CLEAR8 CLEAR4 \
	VPXORD Z4, Z4, Z4 \
	VPXORD Z5, Z5, Z5 \
	VPXORD Z6, Z6, Z6 \
	VPXORD Z7, Z7, Z7

#define STORE(sum) \
	VMOVUPS sum, (DX) \
	ADDQ R8, DX

#define STORE2 STORE(Z0) STORE(Z1)
#define STORE4 STORE2 STORE(Z2) STORE(Z3)
#define STORE8 STORE4 STORE(Z4) STORE(Z5) STORE(Z6) STORE(Z7)

// A tile of a fixed number of rows, at SI.
#define TILE(loop, CLEARS, ADDS, STORES) \
	MOVQ b+40(FP), DI \
	MOVQ k+56(FP), CX \
	LEAQ (SI)(R9*4), R11 \
	MOVQ SI, AX \
	CLEARS \
loop: \
	ADDS \
	ADDQ R13, DI \
	ADDQ $4, SI \
	ADDQ $4, R11 \
	DECQ CX \
	JNZ  loop \
	STORES \
	MOVQ AX, SI

// func multiplyAVX512(c *float32, ldcBytes uintptr, a *float32, ldaBytes, rows uintptr, b *float32, ldbBytes, k uintptr)
//
// Tiles of eight, four, two and one rows and 16 columns, in Z0-Z7.
TEXT ·multiplyAVX512(SB), NOSPLIT, $0-64
	MOVQ c+0(FP), DX
	MOVQ ldcBytes+8(FP), R8
	MOVQ a+16(FP), SI
	MOVQ ldaBytes+24(FP), R9
	MOVQ rows+32(FP), BX
	MOVQ ldbBytes+48(FP), R13
	LEAQ (R9)(R9*2), R10
	SUBQ $8, BX
	JLT  four
eight:
	TILE(eightLoop, CLEAR8, ADD8, STORE8)
	LEAQ (SI)(R9*8), SI
	SUBQ $8, BX
	JGE  eight
four:
	TESTQ $4, BX
	JZ   two
	TILE(fourLoop, CLEAR4, ADD4, STORE4)
	LEAQ (SI)(R9*4), SI
two:
	TESTQ $2, BX
	JZ   one
	TILE(twoLoop, CLEAR4, ADD2, STORE2)
	LEAQ (SI)(R9*2), SI
one:
	TESTQ $1, BX
	JZ   done
	TILE(oneLoop, CLEAR4, ADD1, STORE(Z0))
done:
	VZEROUPPER
	RET

// CONSTANTS loads the constants of EXP2 from vectorConstants, at R8, in its order; Z20 is
// the integer 127, Z29 roundMagic.
#define CONSTANTS \
	VBROADCASTSS (R8), Z31 \
	VBROADCASTSS 32(R8), Z30 \
	VBROADCASTSS 64(R8), Z28 \
	VBROADCASTSS 96(R8), Z27 \
	VBROADCASTSS 128(R8), Z26 \
	VBROADCASTSS 160(R8), Z25 \
	VBROADCASTSS 192(R8), Z24 \
	VBROADCASTSS 224(R8), Z23 \
	VBROADCASTSS 256(R8), Z22 \
	VBROADCASTSS 288(R8), Z21 \
	VBROADCASTSS 320(R8), Z20 \
	VBROADCASTSS 352(R8), Z29

// EXP2 sets p and p2 to exp(x) and exp(x2) for x ≤ 0 and clobbers x and k. The steps of
// both alternate, because the processor's look-ahead is shorter than the chain of one.
// activation.go explains the steps. With roundMagic added, the lowest bits of k are its
// integer.
#define STEP2(op, with, x, y, x2, y2) \
	op with, x, y \
	op with, x2, y2

#define OWN2(op, with, x, with2, x2) \
	op with, x, x \
	op with2, x2, x2

#define HORNER2(c, x, p, x2, p2) \
	OWN2(VMULPS, x, p, x2, p2) \
	STEP2(VADDPS, c, p, p, p2, p2)

#define EXP2(x, k, p, x2, k2, p2) \
	STEP2(VMAXPS, Z31, x, x, x2, x2) \
	STEP2(VMULPS, Z30, x, k, x2, k2) \
	STEP2(VADDPS, Z29, k, k, k2, k2) \
	STEP2(VSUBPS, Z29, k, p, k2, p2) \
	STEP2(VMULPS, Z28, p, Z9, p2, Z10) \
	OWN2(VSUBPS, Z9, x, Z10, x2) \
	STEP2(VMULPS, Z27, p, p, p2, p2) \
	OWN2(VSUBPS, p, x, p2, x2) \
	STEP2(VMULPS, Z26, x, p, x2, p2) \
	STEP2(VADDPS, Z25, p, p, p2, p2) \
	STEP2(VPADDD, Z20, k, k, k2, k2) \
	HORNER2(Z24, x, p, x2, p2) \
	HORNER2(Z23, x, p, x2, p2) \
	VPSLLD $23, k, k \
	VPSLLD $23, k2, k2 \
	HORNER2(Z22, x, p, x2, p2) \
	HORNER2(Z21, x, p, x2, p2) \
	HORNER2(Z21, x, p, x2, p2) \
	OWN2(VMULPS, k, p, k2, p2)

// ACCUMULATE adds the 16 values of a vector to the lanes of Y0; half is clobbered.
#define ACCUMULATE(x, low, half) \
	VADDPS low, Y0, Y0 \
	VEXTRACTF32X8 $1, x, half \
	VADDPS half, Y0, Y0

// SUM folds the lanes of Y0 into each lane.
#define SUM \
	VPERM2F128 $1, Y0, Y0, Y1 \
	VADDPS Y1, Y0, Y0 \
	VSHUFPS $0x4e, Y0, Y0, Y1 \
	VADDPS Y1, Y0, Y0 \
	VSHUFPS $0xb1, Y0, Y0, Y1 \
	VADDPS Y1, Y0, Y0

// MAXIMUM sets each lane of Y0 to the largest of Z0.
#define MAXIMUM \
	VEXTRACTF32X8 $1, Z0, Y1 \
	VMAXPS Y1, Y0, Y0 \
	VPERM2F128 $1, Y0, Y0, Y1 \
	VMAXPS Y1, Y0, Y0 \
	VSHUFPS $0x4e, Y0, Y0, Y1 \
	VMAXPS Y1, Y0, Y0 \
	VSHUFPS $0xb1, Y0, Y0, Y1 \
	VMAXPS Y1, Y0, Y0

// func softmaxAVX512(x *float32, length, rows uintptr, t *[12][8]float32)
//
// Blocks of up to 32 rows, with their maxima and then their inverse sums on the stack: the
// processor overlaps the same step of many rows, but not the steps of one row.
TEXT ·softmaxAVX512(SB), NOSPLIT, $128-32
	MOVQ x+0(FP), SI
	MOVQ length+8(FP), CX
	MOVQ rows+16(FP), BX
	MOVQ t+24(FP), R8
	SHLQ $2, CX
	CONSTANTS
block:
	MOVQ $32, R9
	CMPQ BX, R9
	CMOVQLT BX, R9
	SUBQ R9, BX

	MOVQ SI, DI
	XORQ AX, AX
rowLargest:
	LEAQ (DI)(CX*1), DX
	VMOVUPS (DI), Z0
	VMOVUPS 64(DI), Z1
largest:
	VMAXPS (DI), Z0, Z0
	VMAXPS 64(DI), Z1, Z1
	ADDQ $128, DI
	CMPQ DI, DX
	JLT  largest
	VMAXPS Z1, Z0, Z0
	MAXIMUM
	VMOVSS X0, (SP)(AX*4)
	INCQ AX
	CMPQ AX, R9
	JLT  rowLargest

	MOVQ SI, DI
	XORQ AX, AX
rowExponential:
	LEAQ (DI)(CX*1), DX
	VBROADCASTSS (SP)(AX*4), Z6
	VXORPS Y0, Y0, Y0
exponential:
	VMOVUPS (DI), Z3
	VMOVUPS 64(DI), Z11
	VSUBPS Z6, Z3, Z3
	VSUBPS Z6, Z11, Z11
	EXP2(Z3, Z4, Z5, Z11, Z12, Z13)
	VMOVUPS Z5, (DI)
	VMOVUPS Z13, 64(DI)
	ACCUMULATE(Z5, Y5, Y4)
	ACCUMULATE(Z13, Y13, Y4)
	ADDQ $128, DI
	CMPQ DI, DX
	JLT  exponential
	SUM
	VDIVPS X0, X21, X0
	VMOVSS X0, (SP)(AX*4)
	INCQ AX
	CMPQ AX, R9
	JLT  rowExponential

	XORQ AX, AX
rowDivide:
	LEAQ (SI)(CX*1), DX
	VBROADCASTSS (SP)(AX*4), Z0
divide:
	VMULPS (SI), Z0, Z1
	VMULPS 64(SI), Z0, Z2
	VMOVUPS Z1, (SI)
	VMOVUPS Z2, 64(SI)
	ADDQ $128, SI
	CMPQ SI, DX
	JLT  divide
	INCQ AX
	CMPQ AX, R9
	JLT  rowDivide

	TESTQ BX, BX
	JNZ  block
	VZEROUPPER
	RET

// func geluAVX512(x *float32, n uintptr, t *[11]float32)
TEXT ·geluAVX512(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ t+16(FP), R8
	VBROADCASTSS 0(R8), Z10
	VBROADCASTSS 4(R8), Z11
	VBROADCASTSS 8(R8), Z12
	VBROADCASTSS 12(R8), Z13
	VBROADCASTSS 16(R8), Z14
	VBROADCASTSS 20(R8), Z15
	VBROADCASTSS 24(R8), Z16
	VBROADCASTSS 28(R8), Z17
	VBROADCASTSS 32(R8), Z18
	VBROADCASTSS 36(R8), Z19
	VBROADCASTSS 40(R8), Z20
	LEAQ (SI)(CX*4), DX
loop:
	VMOVUPS (SI), Z0
	VMINPS Z10, Z0, Z1
	VMAXPS Z11, Z1, Z1
	VMULPS Z1, Z1, Z2
	VMULPS Z12, Z2, Z3
	VADDPS Z13, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS Z14, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS Z15, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS Z16, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS Z17, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS Z18, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS Z19, Z3, Z3
	VMULPS Z1, Z3, Z3
	VADDPS Z20, Z3, Z3
	VMULPS Z0, Z3, Z3
	VMOVUPS Z3, (SI)
	ADDQ $64, SI
	CMPQ SI, DX
	JLT  loop
	VZEROUPPER
	RET

// func addNormAVX512(x, y, gamma, beta *float32, n uintptr, epsilon float32)
TEXT ·addNormAVX512(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ gamma+16(FP), R8
	MOVQ beta+24(FP), R9
	MOVQ n+32(FP), CX
	VXORPS Y0, Y0, Y0
	XORQ AX, AX
add:
	VMOVUPS (SI)(AX*4), Z2
	VADDPS (DI)(AX*4), Z2, Z2
	VMOVUPS Z2, (SI)(AX*4)
	ACCUMULATE(Z2, Y2, Y3)
	ADDQ $16, AX
	CMPQ AX, CX
	JLT  add
	SUM
	VCVTSI2SSQ CX, X15, X15
	VDIVSS X15, X0, X0
	VBROADCASTSS X0, Z14    // mean
	VXORPS Y0, Y0, Y0
	XORQ AX, AX
square:
	VMOVUPS (SI)(AX*4), Z2
	VSUBPS Z14, Z2, Z2
	VMOVUPS Z2, (SI)(AX*4)
	VMULPS Z2, Z2, Z2
	ACCUMULATE(Z2, Y2, Y3)
	ADDQ $16, AX
	CMPQ AX, CX
	JLT  square
	SUM
	VDIVSS X15, X0, X0
	VADDSS epsilon+40(FP), X0, X0
	VSQRTSS X0, X0, X0
	MOVL $0x3f800000, AX   // 1
	VMOVD AX, X1
	VDIVSS X0, X1, X0
	VBROADCASTSS X0, Z0
	XORQ AX, AX
norm:
	VMULPS (SI)(AX*4), Z0, Z2
	VMULPS (R8)(AX*4), Z2, Z2
	VADDPS (R9)(AX*4), Z2, Z2
	VMOVUPS Z2, (SI)(AX*4)
	ADDQ $16, AX
	CMPQ AX, CX
	JLT  norm
	VZEROUPPER
	RET

// Two rows share a vector of lanes: the first row's lanes are the lower half.
#define ACCUMULATE2(a, b, sum) \
	VSHUFF32X4 $0x44, b, a, Z20 \
	VSHUFF32X4 $0xee, b, a, Z21 \
	VADDPS Z20, sum, sum \
	VADDPS Z21, sum, sum

// SUM2 folds the lanes of each half into each lane of that half.
#define SUM2(sum) \
	VSHUFF32X4 $0xb1, sum, sum, Z20 \
	VADDPS Z20, sum, sum \
	VSHUFPS $0x4e, sum, sum, Z20 \
	VADDPS Z20, sum, sum \
	VSHUFPS $0xb1, sum, sum, Z20 \
	VADDPS Z20, sum, sum

// SPLIT2 sets a and b to the lanes of one row each.
#define SPLIT2(sum, a, b) \
	VSHUFF32X4 $0x00, sum, sum, a \
	VSHUFF32X4 $0xaa, sum, sum, b

#define ADDROW(x, y, z) \
	VMOVUPS x, z \
	VADDPS y, z, z \
	VMOVUPS z, x

#define SQUAREROW(x, mean, z) \
	VMOVUPS x, z \
	VSUBPS mean, z, z \
	VMULPS z, z, z

#define INVERSE2(sum) \
	VDIVPS Z15, sum, sum \
	VADDPS Z14, sum, sum \
	VSQRTPS sum, sum \
	VDIVPS sum, Z13, sum

#define NORMROW(x, mean, inverse) \
	VMOVUPS x, Z20 \
	VSUBPS mean, Z20, Z20 \
	VMULPS inverse, Z20, Z20 \
	VMULPS Z22, Z20, Z20 \
	VADDPS Z23, Z20, Z20 \
	VMOVUPS Z20, x

// func addNorm4AVX512(x, y, gamma, beta *float32, n, rows uintptr, epsilon float32)
//
// Processes four rows at a time, so that their sums, each in its order, do not wait for
// each other. The number of rows is a multiple of four.
TEXT ·addNorm4AVX512(SB), NOSPLIT, $0-52
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ gamma+16(FP), R8
	MOVQ beta+24(FP), R9
	MOVQ n+32(FP), CX
	MOVQ rows+40(FP), BX
	VBROADCASTSS epsilon+48(FP), Z14
	VCVTSI2SSQ CX, X15, X15
	VBROADCASTSS X15, Z15
	MOVL $0x3f800000, AX    // 1
	VPBROADCASTD AX, Z13
	SHLQ $2, CX             // bytes of a row
next:
	LEAQ (SI)(CX*1), R10    // the rows of x are at SI, R10, R11 and R12
	LEAQ (R10)(CX*1), R11
	LEAQ (R11)(CX*1), R12
	LEAQ (DI)(CX*1), R14    // the rows of y are at DI, R14, R13 and R15
	LEAQ (DI)(CX*2), R13
	LEAQ (R13)(CX*1), R15
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	XORQ AX, AX
add:
	ADDROW((SI)(AX*1), (DI)(AX*1), Z2)
	ADDROW((R10)(AX*1), (R14)(AX*1), Z3)
	ADDROW((R11)(AX*1), (R13)(AX*1), Z4)
	ADDROW((R12)(AX*1), (R15)(AX*1), Z5)
	ACCUMULATE2(Z2, Z3, Z0)
	ACCUMULATE2(Z4, Z5, Z1)
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  add
	SUM2(Z0)
	SUM2(Z1)
	VDIVPS Z15, Z0, Z0
	VDIVPS Z15, Z1, Z1
	SPLIT2(Z0, Z6, Z7)      // means
	SPLIT2(Z1, Z8, Z9)
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	XORQ AX, AX
square:
	SQUAREROW((SI)(AX*1), Z6, Z2)
	SQUAREROW((R10)(AX*1), Z7, Z3)
	SQUAREROW((R11)(AX*1), Z8, Z4)
	SQUAREROW((R12)(AX*1), Z9, Z5)
	ACCUMULATE2(Z2, Z3, Z0)
	ACCUMULATE2(Z4, Z5, Z1)
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  square
	SUM2(Z0)
	SUM2(Z1)
	INVERSE2(Z0)
	INVERSE2(Z1)
	SPLIT2(Z0, Z2, Z3)
	SPLIT2(Z1, Z4, Z5)
	XORQ AX, AX
norm:
	VMOVUPS (R8)(AX*1), Z22
	VMOVUPS (R9)(AX*1), Z23
	NORMROW((SI)(AX*1), Z6, Z2)
	NORMROW((R10)(AX*1), Z7, Z3)
	NORMROW((R11)(AX*1), Z8, Z4)
	NORMROW((R12)(AX*1), Z9, Z5)
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  norm
	LEAQ (SI)(CX*4), SI
	LEAQ (DI)(CX*4), DI
	SUBQ $4, BX
	JGT  next
	VZEROUPPER
	RET

DATA quantize512<>+0(SB)/4, $127.0
DATA quantize512<>+4(SB)/4, $1e-30
DATA quantize512<>+8(SB)/4, $0x3c010204    // 1/127
DATA quantize512<>+12(SB)/4, $0x80808080
GLOBL quantize512<>(SB), RODATA|NOPTR, $16

// func quantizeAVX512(q *int8, steps *groupStep, x *float32, n uintptr)
TEXT ·quantizeAVX512(SB), NOSPLIT, $0-32
	MOVQ q+0(FP), DI
	MOVQ steps+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	VPTERNLOGD $0xff, Z15, Z15, Z15
	VPSRLD $1, Z15, Z15    // mask of the magnitude
	VMOVSS quantize512<>+0(SB), X14
	VMOVSS quantize512<>+4(SB), X13
	VMOVSS quantize512<>+8(SB), X12
	VPBROADCASTD quantize512<>+12(SB), Y11
	VPXOR Y10, Y10, Y10
next:
	VMOVUPS (SI), Z2
	VMOVUPS 64(SI), Z3
	VANDPS Z2, Z15, Z0
	VANDPS Z3, Z15, Z1
	VMAXPS Z1, Z0, Z0
	MAXIMUM
	VMULSS X12, X0, X1
	VMOVSS X1, (DX)
	VMAXSS X13, X0, X0
	VDIVSS X0, X14, X0
	VBROADCASTSS X0, Z0    // steps per unit
	VMULPS Z0, Z2, Z2
	VMULPS Z0, Z3, Z3
	VCVTPS2DQ Z2, Z2
	VCVTPS2DQ Z3, Z3
	VPMOVDB Z2, X2
	VPMOVDB Z3, X3
	VINSERTI128 $1, X3, Y2, Y2
	VMOVDQU Y2, (DI)
	// Compute the sum of 32 values with 128 added to each, and the offset from it.
	VPXOR Y11, Y2, Y2
	VPSADBW Y10, Y2, Y2
	VEXTRACTI128 $1, Y2, X3
	VPADDQ X3, X2, X2
	VPSHUFD $0x4e, X2, X3
	VPADDQ X3, X2, X2
	VMOVD X2, AX
	SHLL $7, AX
	MOVL $(128*128*32), BX
	SUBL AX, BX
	MOVL BX, 4(DX)
	ADDQ $128, SI
	ADDQ $32, DI
	ADDQ $8, DX
	SUBQ $32, CX
	JGT  next
	VZEROUPPER
	RET
