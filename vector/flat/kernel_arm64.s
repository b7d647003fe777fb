#include "textflag.h"

// Vector instructions that Go's assembler lacks, encoded by the Arm
// Architecture Reference Manual (A64, Advanced SIMD); d, n, m are V register
// numbers.
#define FCVTL(d, n)   WORD $(0x0E217800 | (n)<<5 | (d))            // Vd.4S = lower 4 halves of Vn
#define FCVTL2(d, n)  WORD $(0x4E217800 | (n)<<5 | (d))            // Vd.4S = upper 4 halves of Vn
#define FMUL4S(d, n, m) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))
#define FADD4S(d, n, m) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))

// STEP widens the 8 halves in V register h, multiplies them by the query's
// lanes (V16, V17) and adds the products to the accumulators lo and hi.
// Products and sums are rounded separately: see kernel.go.
#define STEP(h, lo, hi) \
	FCVTL(18, h); \
	FCVTL2(19, h); \
	FMUL4S(18, 18, 16); \
	FMUL4S(19, 19, 17); \
	FADD4S(lo, lo, 18); \
	FADD4S(hi, hi, 19)

// REDUCE adds the 8 lanes of the accumulators lo and hi and stores the sum. VLO is the
// name of register lo, FLO the name of its first lane.
#define REDUCE(lo, hi, VLO, FLO) \
	FADD4S(lo, lo, hi); \
	VEXT   $8, VLO.B16, VLO.B16, V18.B16; \
	FADD4S(lo, lo, 18); \
	VMOV   VLO.S[1], R7; \
	FMOVS  R7, F18; \
	FADDS  F18, FLO, FLO; \
	FMOVS.P FLO, 4(R0)

// func dotRowsNEON(scores, query *float32, rows *uint16, stride, count int)
//
// Process four rows at a time: their dependency chains of additions hide one another's
// latency, and each load of the query serves all four.
TEXT ·dotRowsNEON(SB), NOSPLIT, $0-40
	MOVD scores+0(FP), R0
	MOVD query+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD stride+24(FP), R3
	MOVD count+32(FP), R4

four:
	CMP  $4, R4
	BLT  one
	ADD  R3<<1, R2, R9
	ADD  R3<<1, R9, R10
	ADD  R3<<1, R10, R11
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	MOVD R1, R5
	MOVD R3, R6

fourLanes:
	VLD1.P 32(R5), [V16.S4, V17.S4]
	VLD1.P 16(R2), [V20.B16]
	VLD1.P 16(R9), [V21.B16]
	VLD1.P 16(R10), [V22.B16]
	VLD1.P 16(R11), [V23.B16]
	STEP(20, 0, 1)
	STEP(21, 2, 3)
	STEP(22, 4, 5)
	STEP(23, 6, 7)
	SUBS   $8, R6, R6
	BGT    fourLanes

	REDUCE(0, 1, V0, F0)
	REDUCE(2, 3, V2, F2)
	REDUCE(4, 5, V4, F4)
	REDUCE(6, 7, V6, F6)
	MOVD R11, R2
	SUB  $4, R4, R4
	B    four

one:
	CBZ  R4, done
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R1, R5
	MOVD R3, R6

oneLanes:
	VLD1.P 32(R5), [V16.S4, V17.S4]
	VLD1.P 16(R2), [V20.B16]
	STEP(20, 0, 1)
	SUBS   $8, R6, R6
	BGT    oneLanes

	REDUCE(0, 1, V0, F0)
	SUB $1, R4, R4
	B   one

done:
	RET
