#include "textflag.h"

// Quantization of four groups of 32 values at a time. Their maxima and sums are reduced in
// one sequence: a shuffle of two vectors serves two groups, and one division all four. A
// block's maxima are computed before its values, because a processor overlaps short chains
// of steps better than long ones.

DATA order512<>+0(SB)/8, $0x0d0905010c080400    // order of the dwords of packed vectors
DATA order512<>+8(SB)/8, $0x0f0b07030e0a0602
DATA order512<>+16(SB)/8, $0x000000000c080400   // one of each quad
DATA order512<>+24(SB)/8, $0
GLOBL order512<>(SB), RODATA|NOPTR, $32

DATA unit512<>+0(SB)/4, $127.0
DATA unit512<>+4(SB)/4, $1e-30
DATA unit512<>+8(SB)/4, $0x3c010204    // 1/127
DATA unit512<>+12(SB)/4, $0x80808080
GLOBL unit512<>(SB), RODATA|NOPTR, $16

// FOLD2 sets c to the maxima or the sums of the halves of a and b: two quads of each.
#define FOLD2(op, shuffle, a, b, c) \
	shuffle $0x44, b, a, Z12 \
	shuffle $0xee, b, a, Z13 \
	op Z13, Z12, c

// FOLD4 reduces the quads of a and b, two of each group, to one quad of each group, with
// the result in all of its lanes.
#define FOLD4(op, shuffle, within, a, b, c) \
	shuffle $0x88, b, a, Z12 \
	shuffle $0xdd, b, a, Z13 \
	op Z13, Z12, c \
	within(0x4e, c, Z13) \
	op Z13, c, c \
	within(0xb1, c, Z13) \
	op Z13, c, c

#define WITHINPS(order, a, b) VSHUFPS $order, a, a, b
#define WITHIND(order, a, b) VPSHUFD $order, a, b

// ROUND2 sets a and b to two vectors of x in units of one step.
#define ROUND2(at, inverse, a, b) \
	VMULPS (at)(SI), inverse, a \
	VMULPS (at+64)(SI), inverse, b \
	VCVTPS2DQ a, a \
	VCVTPS2DQ b, b

// PACK sets a to the bytes of four vectors.
#define PACK(a, b, c, d) \
	VPACKSSDW b, a, a \
	VPACKSSDW d, c, c \
	VPACKSSWB c, a, a \
	VPERMD a, Z16, a

// A block is up to 48 groups.
#define BLOCK 1536

// func quantize4AVX512(q *int8, steps *groupStep, x *float32, n uintptr)
//
// n is a multiple of 128. The stack has the inverse steps of a block, followed by the
// steps.
TEXT ·quantize4AVX512(SB), NOSPLIT, $384-32
	MOVQ q+0(FP), DI
	MOVQ steps+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	VPMOVZXBD order512<>+0(SB), Z16
	VPMOVZXBD order512<>+16(SB), Z17
	VBROADCASTSS unit512<>+0(SB), X22
	VBROADCASTSS unit512<>+4(SB), X21
	VBROADCASTSS unit512<>+8(SB), X26
	VPBROADCASTD unit512<>+12(SB), Z23
	VPXORD Z24, Z24, Z24
block:
	MOVQ $BLOCK, AX
	CMPQ CX, AX
	CMOVQLT CX, AX
	SUBQ AX, CX
	SHRQ $7, AX         // quadruples of groups
	MOVQ AX, BX
	MOVQ SI, R8
	MOVQ SP, R9
largest:
	VMOVUPS (R8), Z0
	VMOVUPS 128(R8), Z1
	VMOVUPS 256(R8), Z2
	VMOVUPS 384(R8), Z3
	VRANGEPS $0x0b, 64(R8), Z0, Z0    // the larger magnitude
	VRANGEPS $0x0b, 192(R8), Z1, Z1
	VRANGEPS $0x0b, 320(R8), Z2, Z2
	VRANGEPS $0x0b, 448(R8), Z3, Z3
	FOLD2(VMAXPS, VSHUFF32X4, Z0, Z1, Z0)
	FOLD2(VMAXPS, VSHUFF32X4, Z2, Z3, Z2)
	FOLD4(VMAXPS, VSHUFF32X4, WITHINPS, Z0, Z2, Z0)
	VPERMPS Z0, Z17, Z0
	VMULPS X26, X0, X1
	VMAXPS X21, X0, X0
	VDIVPS X0, X22, X0
	VMOVUPS X0, (R9)
	VMOVUPS X1, 192(R9)
	ADDQ $512, R8
	ADDQ $16, R9
	DECQ BX
	JNZ  largest
	MOVQ SP, R9
round:
	VBROADCASTSS (R9), Z12
	VBROADCASTSS 4(R9), Z13
	VBROADCASTSS 8(R9), Z14
	VBROADCASTSS 12(R9), Z15
	ROUND2(0, Z12, Z0, Z1)
	ROUND2(128, Z13, Z2, Z3)
	ROUND2(256, Z14, Z4, Z5)
	ROUND2(384, Z15, Z6, Z7)
	PACK(Z0, Z1, Z2, Z3)
	PACK(Z4, Z5, Z6, Z7)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z4, 64(DI)
	// The offsets are the sums of the products with weightShift.
	VMOVDQA64 Z24, Z8
	VMOVDQA64 Z24, Z9
	VPDPBUSD Z0, Z23, Z8
	VPDPBUSD Z4, Z23, Z9
	FOLD4(VPADDD, VSHUFI32X4, WITHIND, Z8, Z9, Z8)
	VPERMD Z8, Z17, Z8
	VPSUBD X8, X24, X8
	VMOVUPS 192(R9), X9
	VPUNPCKLDQ X8, X9, X10
	VPUNPCKHDQ X8, X9, X11
	VMOVDQU X10, (DX)
	VMOVDQU X11, 16(DX)
	ADDQ $512, SI
	ADDQ $128, DI
	ADDQ $32, DX
	ADDQ $16, R9
	DECQ AX
	JNZ  round
	TESTQ CX, CX
	JNZ  block
	VZEROUPPER
	RET
