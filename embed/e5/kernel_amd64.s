#include "textflag.h"

// As in the other sets of kernels, products are never fused with sums, and sums over a row
// use eight lanes that SUM folds in a fixed order, so all sets compute the same bits.

// func multiplyAVX2(c *float32, ldcBytes uintptr, a *float32, ldaBytes, rows uintptr, b *float32, ldbBytes, k uintptr)
//
// Tiles of four rows and 16 columns, in Y0-Y7. A last tile with fewer rows repeats its
// last row.
TEXT ·multiplyAVX2(SB), NOSPLIT, $0-64
	MOVQ c+0(FP), DX
	MOVQ ldcBytes+8(FP), R8
	MOVQ a+16(FP), SI
	MOVQ ldaBytes+24(FP), R9
	MOVQ rows+32(FP), BX
	MOVQ ldbBytes+48(FP), R10

tile:
	// SI, R11, R12, R13 are the rows of a; DX and the stack hold the rows of c.
	MOVQ SI, R11
	CMPQ BX, $2
	JLT  rows1
	ADDQ R9, R11
rows1:
	MOVQ R11, R12
	CMPQ BX, $3
	JLT  rows2
	ADDQ R9, R12
rows2:
	MOVQ R12, R13
	CMPQ BX, $4
	JLT  rows3
	ADDQ R9, R13
rows3:
	MOVQ b+40(FP), DI
	MOVQ k+56(FP), CX
	XORQ AX, AX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
step:
	VMOVUPS (DI), Y8
	VMOVUPS 32(DI), Y9
	VBROADCASTSS (SI)(AX*4), Y10
	VMULPS Y8, Y10, Y14
	VADDPS Y14, Y0, Y0
	VMULPS Y9, Y10, Y15
	VADDPS Y15, Y1, Y1
	VBROADCASTSS (R11)(AX*4), Y11
	VMULPS Y8, Y11, Y14
	VADDPS Y14, Y2, Y2
	VMULPS Y9, Y11, Y15
	VADDPS Y15, Y3, Y3
	VBROADCASTSS (R12)(AX*4), Y12
	VMULPS Y8, Y12, Y14
	VADDPS Y14, Y4, Y4
	VMULPS Y9, Y12, Y15
	VADDPS Y15, Y5, Y5
	VBROADCASTSS (R13)(AX*4), Y13
	VMULPS Y8, Y13, Y14
	VADDPS Y14, Y6, Y6
	VMULPS Y9, Y13, Y15
	VADDPS Y15, Y7, Y7
	ADDQ R10, DI
	INCQ AX
	CMPQ AX, CX
	JLT  step

	MOVQ DX, DI
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	CMPQ BX, $2
	JLT  store1
	ADDQ R8, DI
store1:
	VMOVUPS Y2, (DI)
	VMOVUPS Y3, 32(DI)
	CMPQ BX, $3
	JLT  store2
	ADDQ R8, DI
store2:
	VMOVUPS Y4, (DI)
	VMOVUPS Y5, 32(DI)
	CMPQ BX, $4
	JLT  store3
	ADDQ R8, DI
store3:
	VMOVUPS Y6, (DI)
	VMOVUPS Y7, 32(DI)
	LEAQ (SI)(R9*4), SI
	LEAQ (DX)(R8*4), DX
	SUBQ $4, BX
	JGT  tile
	VZEROUPPER
	RET

// EXP sets p to exp(x) for x ≤ 0 and clobbers x and k. R8 points to
// vectorConstants; activation.go explains the steps.
#define EXP(x, k, p) \
	VMAXPS (R8), x, x \
	VMULPS 32(R8), x, k \
	VROUNDPS $0, k, k \
	VMULPS 64(R8), k, p \
	VSUBPS p, x, x \
	VMULPS 96(R8), k, p \
	VSUBPS p, x, x \
	VMOVUPS 128(R8), p \
	VMULPS x, p, p \
	VADDPS 160(R8), p, p \
	VMULPS x, p, p \
	VADDPS 192(R8), p, p \
	VMULPS x, p, p \
	VADDPS 224(R8), p, p \
	VMULPS x, p, p \
	VADDPS 256(R8), p, p \
	VMULPS x, p, p \
	VADDPS 288(R8), p, p \
	VMULPS x, p, p \
	VADDPS 288(R8), p, p \
	VCVTPS2DQ k, k \
	VPADDD 320(R8), k, k \
	VPSLLD $23, k, k \
	VMULPS k, p, p

// SUM folds the lanes of Y0 into each lane; MAXIMUM sets each lane to their maximum.
#define SUM \
	VPERM2F128 $1, Y0, Y0, Y1 \
	VADDPS Y1, Y0, Y0 \
	VSHUFPS $0x4e, Y0, Y0, Y1 \
	VADDPS Y1, Y0, Y0 \
	VSHUFPS $0xb1, Y0, Y0, Y1 \
	VADDPS Y1, Y0, Y0

#define MAXIMUM \
	VPERM2F128 $1, Y0, Y0, Y1 \
	VMAXPS Y1, Y0, Y0 \
	VSHUFPS $0x4e, Y0, Y0, Y1 \
	VMAXPS Y1, Y0, Y0 \
	VSHUFPS $0xb1, Y0, Y0, Y1 \
	VMAXPS Y1, Y0, Y0

// func softmaxAVX2(x *float32, n uintptr, t *[12][8]float32)
TEXT ·softmaxAVX2(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ t+16(FP), R8
	LEAQ (SI)(CX*4), DX
	MOVQ SI, DI
	VMOVUPS (SI), Y0
largest:
	VMAXPS (DI), Y0, Y0
	ADDQ $32, DI
	CMPQ DI, DX
	JLT  largest
	MAXIMUM
	VMOVAPS Y0, Y6
	VXORPS Y0, Y0, Y0
	MOVQ SI, DI
exponential:
	VMOVUPS (DI), Y3
	VSUBPS Y6, Y3, Y3
	EXP(Y3, Y4, Y5)
	VMOVUPS Y5, (DI)
	VADDPS Y5, Y0, Y0
	ADDQ $32, DI
	CMPQ DI, DX
	JLT  exponential
	SUM
	VMOVUPS 288(R8), Y1
	VDIVPS Y0, Y1, Y0
divide:
	VMULPS (SI), Y0, Y1
	VMOVUPS Y1, (SI)
	ADDQ $32, SI
	CMPQ SI, DX
	JLT  divide
	VZEROUPPER
	RET

// func geluAVX2(x *float32, n uintptr, t *[11]float32)
TEXT ·geluAVX2(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ t+16(FP), R8
	VBROADCASTSS 0(R8), Y4
	VBROADCASTSS 4(R8), Y5
	VBROADCASTSS 8(R8), Y6
	VBROADCASTSS 12(R8), Y7
	VBROADCASTSS 16(R8), Y8
	VBROADCASTSS 20(R8), Y9
	VBROADCASTSS 24(R8), Y10
	VBROADCASTSS 28(R8), Y11
	VBROADCASTSS 32(R8), Y12
	VBROADCASTSS 36(R8), Y13
	VBROADCASTSS 40(R8), Y14
	LEAQ (SI)(CX*4), DX
loop:
	VMOVUPS (SI), Y0
	VMINPS Y4, Y0, Y1
	VMAXPS Y5, Y1, Y1
	VMULPS Y1, Y1, Y2
	VMULPS Y6, Y2, Y3
	VADDPS Y7, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS Y8, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS Y9, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS Y10, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS Y11, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS Y12, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS Y13, Y3, Y3
	VMULPS Y1, Y3, Y3
	VADDPS Y14, Y3, Y3
	VMULPS Y0, Y3, Y3
	VMOVUPS Y3, (SI)
	ADDQ $32, SI
	CMPQ SI, DX
	JLT  loop
	VZEROUPPER
	RET

// func addNormAVX2(x, y, gamma, beta *float32, n uintptr, epsilon float32)
TEXT ·addNormAVX2(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ gamma+16(FP), R8
	MOVQ beta+24(FP), R9
	MOVQ n+32(FP), CX
	VXORPS Y0, Y0, Y0
	XORQ AX, AX
add:
	VMOVUPS (SI)(AX*4), Y2
	VADDPS (DI)(AX*4), Y2, Y2
	VMOVUPS Y2, (SI)(AX*4)
	VADDPS Y2, Y0, Y0
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  add
	SUM
	VCVTSI2SSQ CX, X15, X15
	VBROADCASTSS X15, Y15
	VDIVPS Y15, Y0, Y14    // mean
	VXORPS Y0, Y0, Y0
	XORQ AX, AX
square:
	VMOVUPS (SI)(AX*4), Y2
	VSUBPS Y14, Y2, Y2
	VMOVUPS Y2, (SI)(AX*4)
	VMULPS Y2, Y2, Y2
	VADDPS Y2, Y0, Y0
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  square
	SUM
	VDIVPS Y15, Y0, Y0
	VBROADCASTSS epsilon+40(FP), Y1
	VADDPS Y1, Y0, Y0
	VSQRTPS Y0, Y0
	MOVL $0x3f800000, AX   // 1
	VMOVD AX, X1
	VBROADCASTSS X1, Y1
	VDIVPS Y0, Y1, Y0
	XORQ AX, AX
norm:
	VMULPS (SI)(AX*4), Y0, Y2
	VMULPS (R8)(AX*4), Y2, Y2
	VADDPS (R9)(AX*4), Y2, Y2
	VMOVUPS Y2, (SI)(AX*4)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  norm
	VZEROUPPER
	RET

DATA quantizeConstants<>+0(SB)/4, $127.0
DATA quantizeConstants<>+4(SB)/4, $1e-30
DATA quantizeConstants<>+8(SB)/4, $0x3c010204    // 1/127
GLOBL quantizeConstants<>(SB), RODATA|NOPTR, $12

// func quantizeAVX2(q *int8, steps *groupStep, x *float32, n uintptr)
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-32
	MOVQ q+0(FP), DI
	MOVQ steps+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15    // mask of the magnitude
	VBROADCASTSS quantizeConstants<>+0(SB), Y14
	VBROADCASTSS quantizeConstants<>+4(SB), Y13
next:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VMOVUPS 64(SI), Y4
	VMOVUPS 96(SI), Y5
	VANDPS Y2, Y15, Y0
	VANDPS Y3, Y15, Y1
	VMAXPS Y1, Y0, Y0
	VANDPS Y4, Y15, Y6
	VANDPS Y5, Y15, Y7
	VMAXPS Y7, Y6, Y6
	VMAXPS Y6, Y0, Y0
	MAXIMUM
	VMULSS quantizeConstants<>+8(SB), X0, X1
	VMOVSS X1, (DX)
	VMAXPS Y13, Y0, Y0
	VDIVPS Y0, Y14, Y0     // steps per unit
	VMULPS Y0, Y2, Y2
	VMULPS Y0, Y3, Y3
	VMULPS Y0, Y4, Y4
	VMULPS Y0, Y5, Y5
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3
	VCVTPS2DQ Y4, Y4
	VCVTPS2DQ Y5, Y5
	VPADDD Y3, Y2, Y6
	VPADDD Y5, Y4, Y7
	VPADDD Y7, Y6, Y6
	VEXTRACTI128 $1, Y6, X7
	VPADDD X7, X6, X6
	VPSHUFD $0x4e, X6, X7
	VPADDD X7, X6, X6
	VPSHUFD $0xb1, X6, X7
	VPADDD X7, X6, X6
	VMOVD X6, AX
	NEGL AX
	SHLL $7, AX            // times weightShift
	MOVL AX, 4(DX)
	VPACKSSDW Y3, Y2, Y2
	VPACKSSDW Y5, Y4, Y4
	VPERMQ $0xd8, Y2, Y2
	VPERMQ $0xd8, Y4, Y4
	VPACKSSWB Y4, Y2, Y2
	VPERMQ $0xd8, Y2, Y2
	VMOVDQU Y2, (DI)
	ADDQ $128, SI
	ADDQ $32, DI
	ADDQ $8, DX
	SUBQ $32, CX
	JGT  next
	VZEROUPPER
	RET
