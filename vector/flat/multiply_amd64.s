#include "textflag.h"

// Constants per 16 bits: the mask of a byte's lower half twice, 64, and 1.
DATA multiplyConstants<>+0(SB)/8, $0x0f0f0f0f00400040
DATA multiplyConstants<>+8(SB)/4, $0x00010001
GLOBL multiplyConstants<>(SB), RODATA|NOPTR, $12

// UNPACK loads the 32 bytes at BASE, their lower halves into Y8 and their upper halves
// into Y9.
#define UNPACK(BASE) \
	VMOVDQU (BASE)(AX*1), Y8; \
	VPSRLW  $4, Y8, Y9; \
	VPAND   Y15, Y8, Y8; \
	VPAND   Y15, Y9, Y9

// PRODUCT multiplies Y8 and Y9 by the query's Q0 and Q1 and adds pairs of products,
// in 16 bits, to ACC.
#define PRODUCT(Q0, Q1, ACC) \
	VPMADDUBSW Q0, Y8, Y12; \
	VPADDW     Y12, ACC, ACC; \
	VPMADDUBSW Q1, Y9, Y12; \
	VPADDW     Y12, ACC, ACC

// WIDEN adds 64·HIGH + LOW, in 32 bits, to SUM.
#define WIDEN(HIGH, LOW, SUM) \
	VPMADDWD Y14, HIGH, HIGH; \
	VPMADDWD Y13, LOW, LOW; \
	VPADDD   HIGH, SUM, SUM; \
	VPADDD   LOW, SUM, SUM

// func multiplyRowsAVX2(dots *int32, query *int8, rows *byte, blocks, count int)
//
// Process two rows at a time, which share the loads of the query. A block adds at most
// 4·15·63 to a 16-bit sum, so eight blocks fit.
TEXT ·multiplyRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ         dots+0(FP), DI
	MOVQ         query+8(FP), SI
	MOVQ         rows+16(FP), R8
	MOVQ         blocks+24(FP), CX
	MOVQ         count+32(FP), DX
	VPBROADCASTD multiplyConstants<>+4(SB), Y15
	VPBROADCASTD multiplyConstants<>+0(SB), Y14
	VPBROADCASTD multiplyConstants<>+8(SB), Y13
	MOVQ         CX, R12
	SHLQ         $5, R12                        // bytes per row

two:
	CMPQ  DX, $2
	JLT   one
	LEAQ  (R8)(R12*1), R9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	MOVQ  SI, BX
	MOVQ  CX, R10
	XORQ  AX, AX

twoGroup:
	MOVQ    $8, R11
	CMPQ    R10, R11
	CMOVQLT R10, R11
	SUBQ    R11, R10
	VPXOR   Y0, Y0, Y0
	VPXOR   Y1, Y1, Y1
	VPXOR   Y2, Y2, Y2
	VPXOR   Y3, Y3, Y3

twoBlocks:
	VMOVDQU (BX), Y4
	VMOVDQU 32(BX), Y5
	VMOVDQU 64(BX), Y6
	VMOVDQU 96(BX), Y7
	UNPACK(R8)
	PRODUCT(Y4, Y5, Y0)
	PRODUCT(Y6, Y7, Y1)
	UNPACK(R9)
	PRODUCT(Y4, Y5, Y2)
	PRODUCT(Y6, Y7, Y3)
	ADDQ    $32, AX
	ADDQ    $128, BX
	DECQ    R11
	JNZ     twoBlocks
	WIDEN(Y0, Y1, Y10)
	WIDEN(Y2, Y3, Y11)
	TESTQ   R10, R10
	JNZ     twoGroup

	VPHADDD      Y11, Y10, Y10
	VEXTRACTI128 $1, Y10, X11
	VPADDD       X11, X10, X10
	VPHADDD      X10, X10, X10
	VMOVQ        X10, (DI)
	LEAQ         (R9)(R12*1), R8
	ADDQ         $8, DI
	SUBQ         $2, DX
	JMP          two

one:
	TESTQ DX, DX
	JEQ   done
	VPXOR Y10, Y10, Y10
	XORQ  AX, AX

oneGroup:
	MOVQ    $8, R11
	CMPQ    CX, R11
	CMOVQLT CX, R11
	SUBQ    R11, CX
	VPXOR   Y0, Y0, Y0
	VPXOR   Y1, Y1, Y1

oneBlocks:
	UNPACK(R8)
	PRODUCT((SI), 32(SI), Y0)
	PRODUCT(64(SI), 96(SI), Y1)
	ADDQ  $32, AX
	ADDQ  $128, SI
	DECQ  R11
	JNZ   oneBlocks
	WIDEN(Y0, Y1, Y10)
	TESTQ CX, CX
	JNZ   oneGroup

	VEXTRACTI128 $1, Y10, X11
	VPADDD       X11, X10, X10
	VPHADDD      X10, X10, X10
	VPHADDD      X10, X10, X10
	VMOVD        X10, (DI)

done:
	VZEROUPPER
	RET
