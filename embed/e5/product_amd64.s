#include "textflag.h"

// The quantized matrix product. For a tile of up to four rows and one panel of 16 columns,
// Y0-Y7 are the integer sums of one group of 32 inputs (two vectors of eight columns per
// row), Y12-Y13 the weights of four inputs, Y10-Y11 their magnitudes, Y14 four activations
// in every lane, Y8 16-bit ones. The fp32 sums over groups stay on the stack: 64 bytes per
// row.

#define WEIGHTS(i) \
	VMOVDQU (i*64)(DI), Y12 \
	VMOVDQU (i*64+32)(DI), Y13 \
	VPABSB Y12, Y10 \
	VPABSB Y13, Y11

// VPMADDUBSW multiplies unsigned by signed bytes: the magnitudes of weights by activations
// with the signs of both. Its sums of two products do not saturate, since 2·128·127 <
// 2^15.
#define PAIRS(a) \
	VPBROADCASTD a, Y14 \
	VPSIGNB Y12, Y14, Y15 \
	VPSIGNB Y13, Y14, Y14 \
	VPMADDUBSW Y15, Y10, Y15 \
	VPMADDUBSW Y14, Y11, Y14

// The first four inputs of a group set the sums, the other inputs add to them.
#define SET(a, lo, hi) \
	PAIRS(a) \
	VPMADDWD Y8, Y15, lo \
	VPMADDWD Y8, Y14, hi

#define ADD(a, lo, hi) \
	PAIRS(a) \
	VPMADDWD Y8, Y15, Y15 \
	VPMADDWD Y8, Y14, Y14 \
	VPADDD Y15, lo, lo \
	VPADDD Y14, hi, hi

#define SET1 WEIGHTS(0) SET(0(SI), Y0, Y1)
#define SET2 SET1 SET(0(SI)(R8*1), Y2, Y3)
#define SET3 SET2 SET(0(SI)(R8*2), Y4, Y5)
#define SET4 SET3 SET(0(SI)(R9*1), Y6, Y7)
#define ADD1(i) WEIGHTS(i) ADD((i*4)(SI), Y0, Y1)
#define ADD2(i) ADD1(i) ADD((i*4)(SI)(R8*1), Y2, Y3)
#define ADD3(i) ADD2(i) ADD((i*4)(SI)(R8*2), Y4, Y5)
#define ADD4(i) ADD3(i) ADD((i*4)(SI)(R9*1), Y6, Y7)

// Add the sums of a group, times the scales of the weights (Y12, Y13) and the step
// of the row, to the sums of the row.
#define SCALES \
	VMOVUPS (R11), Y12 \
	VMOVUPS 32(R11), Y13

#define FOLD(row, step, lo, hi) \
	VBROADCASTSS step, Y14 \
	VMULPS Y12, Y14, Y15 \
	VMULPS Y13, Y14, Y14 \
	VCVTDQ2PS lo, lo \
	VCVTDQ2PS hi, hi \
	VMULPS Y15, lo, lo \
	VMULPS Y14, hi, hi \
	VADDPS (row*64)(SP), lo, lo \
	VADDPS (row*64+32)(SP), hi, hi \
	VMOVUPS lo, (row*64)(SP) \
	VMOVUPS hi, (row*64+32)(SP)

#define FOLD1 SCALES FOLD(0, (BX), Y0, Y1)
#define FOLD2 FOLD1 FOLD(1, (BX)(R12*1), Y2, Y3)
#define FOLD3 FOLD2 FOLD(2, (BX)(R12*2), Y4, Y5)
#define FOLD4 FOLD3 FOLD(3, (BX)(R14*1), Y6, Y7)

// A row's sums begin with the bias (Y0, Y1).
#define BIAS(row) \
	VMOVUPS Y0, (row*64)(SP) \
	VMOVUPS Y1, (row*64+32)(SP)

#define STORE(row) \
	VMOVUPS (row*64)(SP), Y0 \
	VMOVUPS (row*64+32)(SP), Y1 \
	VMOVUPS Y0, (DX) \
	VMOVUPS Y1, 32(DX) \
	ADDQ R10, DX

#define BEGIN \
	MOVQ R13, SI \
	MOVQ w+40(FP), DI \
	MOVQ scale+48(FP), R11 \
	MOVQ bias+56(FP), CX \
	VMOVUPS (CX), Y0 \
	VMOVUPS 32(CX), Y1 \
	MOVQ groups+64(FP), CX

#define NEXT \
	ADDQ $32, SI \
	ADDQ $512, DI \
	ADDQ $64, R11 \
	ADDQ $8, BX \
	DECQ CX

// func productAVX2(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr)
TEXT ·productAVX2(SB), NOSPLIT, $256-72
	MOVQ c+0(FP), DX
	MOVQ ldcBytes+8(FP), R10
	MOVQ a+16(FP), R13
	MOVQ steps+24(FP), BX
	MOVQ rows+32(FP), AX
	MOVQ groups+64(FP), R8
	MOVQ R8, R12
	SHLQ $5, R8           // bytes per row of a
	LEAQ (R8)(R8*2), R9   // bytes of three rows
	SHLQ $3, R12          // bytes per row of steps
	LEAQ (R12)(R12*2), R14
	VPCMPEQW Y8, Y8, Y8
	VPABSW Y8, Y8         // 16-bit ones

four:
	CMPQ AX, $4
	JLT  three
	BEGIN
	BIAS(0)
	BIAS(1)
	BIAS(2)
	BIAS(3)
fourGroup:
	SET4
	ADD4(1)
	ADD4(2)
	ADD4(3)
	ADD4(4)
	ADD4(5)
	ADD4(6)
	ADD4(7)
	FOLD4
	NEXT
	JNZ  fourGroup
	STORE(0)
	STORE(1)
	STORE(2)
	STORE(3)
	ADDQ R14, BX          // BX has advanced by one row
	SUBQ $4, AX
	LEAQ (R13)(R8*4), R13
	JMP  four

three:
	CMPQ AX, $3
	JLT  two
	BEGIN
	BIAS(0)
	BIAS(1)
	BIAS(2)
threeGroup:
	SET3
	ADD3(1)
	ADD3(2)
	ADD3(3)
	ADD3(4)
	ADD3(5)
	ADD3(6)
	ADD3(7)
	FOLD3
	NEXT
	JNZ  threeGroup
	STORE(0)
	STORE(1)
	STORE(2)
	JMP  done

two:
	CMPQ AX, $2
	JLT  one
	BEGIN
	BIAS(0)
	BIAS(1)
twoGroup:
	SET2
	ADD2(1)
	ADD2(2)
	ADD2(3)
	ADD2(4)
	ADD2(5)
	ADD2(6)
	ADD2(7)
	FOLD2
	NEXT
	JNZ  twoGroup
	STORE(0)
	STORE(1)
	JMP  done

one:
	TESTQ AX, AX
	JZ   done
	BEGIN
	BIAS(0)
oneGroup:
	SET1
	ADD1(1)
	ADD1(2)
	ADD1(3)
	ADD1(4)
	ADD1(5)
	ADD1(6)
	ADD1(7)
	FOLD1
	NEXT
	JNZ  oneGroup
	STORE(0)

done:
	VZEROUPPER
	RET
