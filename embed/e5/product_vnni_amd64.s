#include "textflag.h"

// The quantized matrix product with AVX-512 VNNI. A tile is up to twelve rows and two
// panels: Z0-Z23 are the integer sums of one group of 32 inputs, two vectors per row, one
// for each panel. Z30 and Z31 are the weights of four inputs, which are stored shifted by
// weightShift, Z29 four activations in every lane. The fp32 sums over groups stay in c, where
// they begin with the bias.

// ROW0 to ROW11 are twelve rows of a, addressed by three base pointers: rows 0-3, 4-7 and
// 8-11.
#define ROW0 (SI)
#define ROW1 (SI)(R9*1)
#define ROW2 (SI)(R9*2)
#define ROW3 (SI)(R10*1)
#define ROW4 (R11)
#define ROW5 (R11)(R9*1)
#define ROW6 (R11)(R9*2)
#define ROW7 (R11)(R10*1)
#define ROW8 (R12)
#define ROW9 (R12)(R9*1)
#define ROW10 (R12)(R9*2)
#define ROW11 (R12)(R10*1)

// The weights of a panel take sixteen times the bytes of a row of a; R13 is two rows.
#define WEIGHTS(i) \
	VMOVDQU32 (i*64)(DI), Z30 \
	VMOVDQU32 (i*64)(DI)(R13*8), Z31

#define DOT(a, lo, hi) \
	VPBROADCASTD a, Z29 \
	VPDPBUSD Z29, Z30, lo \
	VPDPBUSD Z29, Z31, hi

#define DOT1(i) WEIGHTS(i) DOT((i*4)ROW0, Z0, Z1)
#define DOT2(i) DOT1(i) DOT((i*4)ROW1, Z2, Z3)
#define DOT3(i) DOT2(i) DOT((i*4)ROW2, Z4, Z5)
#define DOT4(i) DOT3(i) DOT((i*4)ROW3, Z6, Z7)
#define DOT5(i) DOT4(i) DOT((i*4)ROW4, Z8, Z9)
#define DOT6(i) DOT5(i) DOT((i*4)ROW5, Z10, Z11)
#define DOT7(i) DOT6(i) DOT((i*4)ROW6, Z12, Z13)
#define DOT8(i) DOT7(i) DOT((i*4)ROW7, Z14, Z15)
#define DOT9(i) DOT8(i) DOT((i*4)ROW8, Z16, Z17)
#define DOT10(i) DOT9(i) DOT((i*4)ROW9, Z18, Z19)
#define DOT11(i) DOT10(i) DOT((i*4)ROW10, Z20, Z21)
#define DOT12(i) DOT11(i) DOT((i*4)ROW11, Z22, Z23)

// A row's integer sums begin with the offset of its group.
#define CLEAR(lo, hi) \
	VPBROADCASTD 4(AX), lo \
	ADDQ R15, AX \
	VMOVDQA64 lo, hi

// Add the sums of a group, times the scales of the weights (Z30, Z31) and the step
// of the row, to the sums of the row.
#define SCALES \
	VMOVUPS (CX), Z30 \
	VMOVUPS (CX)(R13*1), Z31 \
	MOVQ BX, AX \
	MOVQ DX, R14

#define FOLD(lo, hi) \
	VMULPS.BCST (AX), Z30, Z28 \
	VMULPS.BCST (AX), Z31, Z29 \
	ADDQ R15, AX \
	VCVTDQ2PS lo, lo \
	VCVTDQ2PS hi, hi \
	VMULPS Z28, lo, lo \
	VMULPS Z29, hi, hi \
	VADDPS (R14), lo, lo \
	VADDPS 64(R14), hi, hi \
	VMOVUPS lo, (R14) \
	VMOVUPS hi, 64(R14) \
	ADDQ R8, R14

#define FOLD1 SCALES FOLD(Z0, Z1)
#define FOLD2 FOLD1 FOLD(Z2, Z3)
#define FOLD3 FOLD2 FOLD(Z4, Z5)
#define FOLD4 FOLD3 FOLD(Z6, Z7)
#define FOLD5 FOLD4 FOLD(Z8, Z9)
#define FOLD6 FOLD5 FOLD(Z10, Z11)
#define FOLD7 FOLD6 FOLD(Z12, Z13)
#define FOLD8 FOLD7 FOLD(Z14, Z15)
#define FOLD9 FOLD8 FOLD(Z16, Z17)
#define FOLD10 FOLD9 FOLD(Z18, Z19)
#define FOLD11 FOLD10 FOLD(Z20, Z21)
#define FOLD12 FOLD11 FOLD(Z22, Z23)

#define CLEAR1 MOVQ BX, AX CLEAR(Z0, Z1)
#define CLEAR2 CLEAR1 CLEAR(Z2, Z3)
#define CLEAR3 CLEAR2 CLEAR(Z4, Z5)
#define CLEAR4 CLEAR3 CLEAR(Z6, Z7)
#define CLEAR5 CLEAR4 CLEAR(Z8, Z9)
#define CLEAR6 CLEAR5 CLEAR(Z10, Z11)
#define CLEAR7 CLEAR6 CLEAR(Z12, Z13)
#define CLEAR8 CLEAR7 CLEAR(Z14, Z15)
#define CLEAR9 CLEAR8 CLEAR(Z16, Z17)
#define CLEAR10 CLEAR9 CLEAR(Z18, Z19)
#define CLEAR11 CLEAR10 CLEAR(Z20, Z21)
#define CLEAR12 CLEAR11 CLEAR(Z22, Z23)

#define NEXT \
	ADDQ $32, SI \
	ADDQ $32, R11 \
	ADDQ $32, R12 \
	ADDQ $512, DI \
	ADDQ $64, CX \
	ADDQ $8, BX \
	DECQ groups+64(FP)

// The two panels that follow these are prefetched while all tiles of these panels run: a tile
// prefetches a part of each, beginning at next. AHEAD also prefetches the scales of a group,
// for which one tile is enough: for the others they are in the cache. LINES prefetches the next
// stride bytes of both panels, usually a line that the last LINES prefetched, too.
#define AHEAD \
	MOVQ next+72(FP), AX \
	MOVQ stride+80(FP), R14 \
	PREFETCHT0 (CX)(R13*2) \
	PREFETCHT0 (CX)(R10*2)

#define LINES \
	PREFETCHT0 (AX) \
	PREFETCHT0 (AX)(R13*8) \
	ADDQ R14, AX

// GROUPS computes all groups of a tile.
#define GROUPS(label, CLEARS, DOTS, FOLDS) \
label: \
	CLEARS \
	AHEAD \
	DOTS(0) \
	LINES \
	DOTS(1) \
	LINES \
	DOTS(2) \
	LINES \
	DOTS(3) \
	LINES \
	DOTS(4) \
	LINES \
	DOTS(5) \
	LINES \
	DOTS(6) \
	LINES \
	DOTS(7) \
	LINES \
	MOVQ AX, next+72(FP) \
	FOLDS \
	NEXT \
	JNZ label \
	VZEROUPPER \
	RET

// func productVNNI(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr, next *int8, stride uintptr)
TEXT ·productVNNI(SB), NOSPLIT, $0-88
	MOVQ c+0(FP), DX
	MOVQ ldcBytes+8(FP), R8
	MOVQ a+16(FP), SI
	MOVQ steps+24(FP), BX
	MOVQ rows+32(FP), AX
	MOVQ w+40(FP), DI
	MOVQ scale+48(FP), CX
	MOVQ groups+64(FP), R9
	LEAQ (R9*8), R15       // bytes per row of steps
	SHLQ $5, R9            // bytes per row of a
	LEAQ (R9)(R9*1), R13   // bytes of two rows, and of the scales of a panel
	LEAQ (R9)(R9*2), R10   // bytes of three rows
	LEAQ (SI)(R9*4), R11
	LEAQ (R11)(R9*4), R12

	MOVQ bias+56(FP), R14
	VMOVUPS (R14), Z30
	VMOVUPS 64(R14), Z31
	MOVQ DX, R14
bias:
	VMOVUPS Z30, (R14)
	VMOVUPS Z31, 64(R14)
	ADDQ R8, R14
	DECQ AX
	JNZ  bias
	MOVQ rows+32(FP), AX

	CMPQ AX, $6
	JGT  many
	JEQ  six
	CMPQ AX, $4
	JGT  five
	JEQ  four
	CMPQ AX, $2
	JGT  three
	JEQ  two
	JMP  one
many:
	CMPQ AX, $10
	JGT  most
	JEQ  ten
	CMPQ AX, $8
	JGT  nine
	JEQ  eight
	JMP  seven
most:
	CMPQ AX, $12
	JEQ  twelve
	JMP  eleven

	GROUPS(one, CLEAR1, DOT1, FOLD1)
	GROUPS(two, CLEAR2, DOT2, FOLD2)
	GROUPS(three, CLEAR3, DOT3, FOLD3)
	GROUPS(four, CLEAR4, DOT4, FOLD4)
	GROUPS(five, CLEAR5, DOT5, FOLD5)
	GROUPS(six, CLEAR6, DOT6, FOLD6)
	GROUPS(seven, CLEAR7, DOT7, FOLD7)
	GROUPS(eight, CLEAR8, DOT8, FOLD8)
	GROUPS(nine, CLEAR9, DOT9, FOLD9)
	GROUPS(ten, CLEAR10, DOT10, FOLD10)
	GROUPS(eleven, CLEAR11, DOT11, FOLD11)
	GROUPS(twelve, CLEAR12, DOT12, FOLD12)
