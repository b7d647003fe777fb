#include "textflag.h"

// The steps of attention on keys and values before the products. They process columns
// rather than rows: maxima of a column need no shuffles.

DATA columns512<>+0(SB)/8, $0x0d0905010c080400    // bytes of a quad, transposed
DATA columns512<>+8(SB)/8, $0x0f0b07030e0a0602
DATA columns512<>+16(SB)/4, $127.0
DATA columns512<>+20(SB)/4, $1e-30
DATA columns512<>+24(SB)/4, $0x3c010204    // 1/127
GLOBL columns512<>(SB), RODATA|NOPTR, $28

#define SUMSHARE(i, sum) \
	VMULPS (i*64)(R8), Z31, Z16 \
	VADDPS Z16, sum, sum

#define LESS(i, mean) \
	VMOVUPS (i*64)(R8), Z16 \
	VSUBPS mean, Z16, Z16 \
	VMOVUPS Z16, (i*64)(R8)

// func centerAVX512(mean, kv *float32, strideBytes, n uintptr, share float32)
//
// Blocks of 128 columns, in Z0-Z7: three blocks of keys and three of values.
TEXT ·centerAVX512(SB), NOSPLIT, $0-36
	MOVQ mean+0(FP), DI
	MOVQ kv+8(FP), SI
	MOVQ strideBytes+16(FP), R9
	VBROADCASTSS share+32(FP), Z31
	MOVQ $6, DX
block:
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	MOVQ SI, R8
	MOVQ n+24(FP), CX
sum:
	SUMSHARE(0, Z0)
	SUMSHARE(1, Z1)
	SUMSHARE(2, Z2)
	SUMSHARE(3, Z3)
	SUMSHARE(4, Z4)
	SUMSHARE(5, Z5)
	SUMSHARE(6, Z6)
	SUMSHARE(7, Z7)
	ADDQ R9, R8
	DECQ CX
	JNZ  sum
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	VMOVUPS Z4, 256(DI)
	VMOVUPS Z5, 320(DI)
	VMOVUPS Z6, 384(DI)
	VMOVUPS Z7, 448(DI)
	CMPQ DX, $3
	JLE  next    // values are unchanged
	MOVQ SI, R8
	MOVQ n+24(FP), CX
less:
	LESS(0, Z0)
	LESS(1, Z1)
	LESS(2, Z2)
	LESS(3, Z3)
	LESS(4, Z4)
	LESS(5, Z5)
	LESS(6, Z6)
	LESS(7, Z7)
	ADDQ R9, R8
	DECQ CX
	JNZ  less
next:
	ADDQ $512, SI
	ADDQ $512, DI
	DECQ DX
	JNZ  block
	VZEROUPPER
	RET

// A vector has one of each four rows: i, i+4, i+8 and i+12.
#define ROWS4(p, offset, z) \
	VMOVDQU32 (offset)(p), X31 \
	VINSERTI32X4 $1, (offset)(p)(R9*4), Z31, Z31 \
	VINSERTI32X4 $2, (offset)(p)(R9*8), Z31, Z31 \
	VINSERTI32X4 $3, (offset)(p)(R10*4), Z31, z

// TRANSPOSE4 stores the transpose of four vectors, shifted by weightShift: to flip the sign bit
// (Z20) adds 128.
#define TRANSPOSE4(to) \
	VPXORD Z20, Z0, Z0 \
	VPXORD Z20, Z1, Z1 \
	VPXORD Z20, Z2, Z2 \
	VPXORD Z20, Z3, Z3 \
	VPUNPCKLDQ Z1, Z0, Z4 \
	VPUNPCKHDQ Z1, Z0, Z5 \
	VPUNPCKLDQ Z3, Z2, Z6 \
	VPUNPCKHDQ Z3, Z2, Z7 \
	VPUNPCKLQDQ Z6, Z4, Z0 \
	VPUNPCKHQDQ Z6, Z4, Z1 \
	VPUNPCKLQDQ Z7, Z5, Z2 \
	VPUNPCKHQDQ Z7, Z5, Z3 \
	VMOVDQU64 Z0, (to)(DI) \
	VMOVDQU64 Z1, (to+64)(DI) \
	VMOVDQU64 Z2, (to+128)(DI) \
	VMOVDQU64 Z3, (to+192)(DI)

// func keysAVX512(w, q *int8, strideBytes, panels uintptr)
//
// Sets panels of 16 columns to the same number of rows of 32 bytes, with four bytes of a
// row next to four bytes of the next row.
TEXT ·keysAVX512(SB), NOSPLIT, $0-32
	MOVQ w+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ strideBytes+16(FP), R9
	MOVQ panels+24(FP), CX
	LEAQ (R9)(R9*2), R10
	MOVL $0x80808080, AX
	VPBROADCASTD AX, Z20
panel:
	LEAQ (SI)(R9*1), R11
	LEAQ (SI)(R9*2), R12
	LEAQ (SI)(R10*1), R13
	ROWS4(SI, 0, Z0)
	ROWS4(R11, 0, Z1)
	ROWS4(R12, 0, Z2)
	ROWS4(R13, 0, Z3)
	TRANSPOSE4(0)
	ROWS4(SI, 16, Z0)
	ROWS4(R11, 16, Z1)
	ROWS4(R12, 16, Z2)
	ROWS4(R13, 16, Z3)
	TRANSPOSE4(256)
	LEAQ (R13)(R10*4), SI
	ADDQ R9, SI    // next 16 rows
	ADDQ $512, DI
	DECQ CX
	JNZ  panel
	VZEROUPPER
	RET

// VALUE rounds the next row in units of one step, or, after the last row, the mean itself,
// which becomes zero.
#define VALUE(lo, hi) \
	MOVQ SI, BX \
	TESTQ CX, CX \
	CMOVQLE R8, BX \
	VMOVUPS (BX), lo \
	VMOVUPS 64(BX), hi \
	VSUBPS Z30, lo, lo \
	VSUBPS Z31, hi, hi \
	VMULPS Z2, lo, lo \
	VMULPS Z3, hi, hi \
	VCVTPS2DQ lo, lo \
	VCVTPS2DQ hi, hi \
	ADDQ R9, SI \
	DECQ CX

// PACK transposes the bytes of four rows and shifts them by weightShift (Z25).
#define PACK(a, b, c, d) \
	VPACKSSDW b, a, a \
	VPACKSSDW d, c, c \
	VPACKSSWB c, a, a \
	VPSHUFB Z29, a, a \
	VPXORD Z25, a, a

// func valuesAVX512(w *int8, scale, value *float32, strideBytes, n uintptr, mean *float32, groups uintptr)
//
// Quantizes 32 columns of n rows in groups of 32 rows, into two panels.
TEXT ·valuesAVX512(SB), NOSPLIT, $0-56
	MOVQ w+0(FP), DI
	MOVQ scale+8(FP), DX
	MOVQ value+16(FP), SI
	MOVQ strideBytes+24(FP), R9
	MOVQ n+32(FP), CX
	MOVQ mean+40(FP), R8
	MOVQ groups+48(FP), R12
	MOVQ R12, R10
	SHLQ $9, R10    // bytes of a panel
	MOVQ R12, R11
	SHLQ $6, R11    // bytes of the scales of a panel
	VBROADCASTI32X4 columns512<>+0(SB), Z29
	VMOVUPS (R8), Z30
	VMOVUPS 64(R8), Z31
	MOVL $0x80808080, AX
	VPBROADCASTD AX, Z25
	VBROADCASTSS columns512<>+16(SB), Z26
	VBROADCASTSS columns512<>+20(SB), Z27
	VBROADCASTSS columns512<>+24(SB), Z28
group:
	MOVQ $32, AX
	CMPQ CX, AX
	CMOVQLT CX, AX
	MOVQ SI, BX
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
largest:
	VMOVUPS (BX), Z4
	VMOVUPS 64(BX), Z5
	VSUBPS Z30, Z4, Z4
	VSUBPS Z31, Z5, Z5
	VRANGEPS $0x0b, Z4, Z0, Z0    // the larger magnitude
	VRANGEPS $0x0b, Z5, Z1, Z1
	ADDQ R9, BX
	DECQ AX
	JNZ  largest
	VMULPS Z28, Z0, Z4
	VMULPS Z28, Z1, Z5
	VMOVUPS Z4, (DX)
	VMOVUPS Z5, (DX)(R11*1)
	VMAXPS Z27, Z0, Z0
	VMAXPS Z27, Z1, Z1
	VDIVPS Z0, Z26, Z2
	VDIVPS Z1, Z26, Z3
	MOVQ $8, AX
four:
	VALUE(Z4, Z8)
	VALUE(Z5, Z9)
	VALUE(Z6, Z10)
	VALUE(Z7, Z11)
	PACK(Z4, Z5, Z6, Z7)
	PACK(Z8, Z9, Z10, Z11)
	VMOVDQU64 Z4, (DI)
	VMOVDQU64 Z8, (DI)(R10*1)
	ADDQ $64, DI
	DECQ AX
	JNZ  four
	ADDQ $64, DX
	DECQ R12
	JNZ  group
	VZEROUPPER
	RET
