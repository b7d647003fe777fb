#include "textflag.h"

// Vector instructions that Go's assembler lacks, encoded by the Arm
// Architecture Reference Manual (A64, Advanced SIMD); d, n, m are V register
// numbers.
#define SMULL(d, n, m)   WORD $(0x0E20C000 | (m)<<16 | (n)<<5 | (d)) // Vd.8H = lower 8 bytes of Vn · Vm
#define SMLAL(d, n, m)   WORD $(0x0E208000 | (m)<<16 | (n)<<5 | (d)) // Vd.8H += lower 8 bytes of Vn · Vm
#define SMLAL2(d, n, m)  WORD $(0x4E208000 | (m)<<16 | (n)<<5 | (d)) // Vd.8H += upper 8 bytes of Vn · Vm
#define ADDP8H(d, n, m)  WORD $(0x4E60BC00 | (m)<<16 | (n)<<5 | (d))
#define ADDP4S(d, n, m)  WORD $(0x4EA0BC00 | (m)<<16 | (n)<<5 | (d))
#define SADDLP8H(d, n)   WORD $(0x4E602800 | (n)<<5 | (d))           // Vd.4S = sums of pairs of Vn.8H
#define SCVTF4S(d, n)    WORD $(0x4E21D800 | (n)<<5 | (d))
#define FSQRT4S(d, n)    WORD $(0x6EA1F800 | (n)<<5 | (d))
#define FDIV4S(d, n, m)  WORD $(0x6E20FC00 | (m)<<16 | (n)<<5 | (d))
#define FMUL4S(d, n, m)  WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))
#define FMAX4S(d, n, m)  WORD $(0x4E20F400 | (m)<<16 | (n)<<5 | (d))

// UNPACK loads a code and sets A, B, C, D to its 64 components, from -8 to 7.
// V29 is the mask of the lower half of each byte, V30 the offset.
#define UNPACK(A, B, C, D) \
	VLD1.P 32(R3), [A.B16, B.B16]; \
	VUSHR  $4, A.B16, C.B16; \
	VUSHR  $4, B.B16, D.B16; \
	VAND   V29.B16, A.B16, A.B16; \
	VAND   V29.B16, B.B16, B.B16; \
	VSUB   V30.B16, A.B16, A.B16; \
	VSUB   V30.B16, B.B16, B.B16; \
	VSUB   V30.B16, C.B16, C.B16; \
	VSUB   V30.B16, D.B16, D.B16

// DOT sets the 8 16-bit sums of V register acc to partial sums of the dot product of the
// 64 bytes in registers a to a+3 and the bytes in b to b+3. A sum is at most 8·128·8.
#define DOT(acc, a, b) \
	SMULL(acc, a, b); \
	SMLAL2(acc, a, b); \
	SMLAL(acc, (a+1), (b+1)); \
	SMLAL2(acc, (a+1), (b+1)); \
	SMLAL(acc, (a+2), (b+2)); \
	SMLAL2(acc, (a+2), (b+2)); \
	SMLAL(acc, (a+3), (b+3)); \
	SMLAL2(acc, (a+3), (b+3))

// FOLD sets each lane of V20 to the sum of one of V20, V21, V22 and V23.
#define FOLD \
	ADDP8H(20, 20, 21); \
	ADDP8H(22, 22, 23); \
	SADDLP8H(20, 20); \
	SADDLP8H(22, 22); \
	ADDP4S(20, 20, 22)

// func bestBlocksNEON(best *lanes, query *Vector, queries int, codes *byte, blocks int)
//
// Four tokens of the entry stay in V0-V15 while the loop runs over the tokens of the
// question, each in V16-V19. V24 has the inverse lengths of the four, V31 is 1.
TEXT ·bestBlocksNEON(SB), NOSPLIT, $0-40
	MOVD codes+24(FP), R3
	MOVD blocks+32(FP), R4
	VMOVI $15, V29.B16
	VMOVI $8, V30.B16
	MOVD $0x3f800000, R5
	VDUP R5, V31.S4

block:
	UNPACK(V0, V1, V2, V3)
	UNPACK(V4, V5, V6, V7)
	UNPACK(V8, V9, V10, V11)
	UNPACK(V12, V13, V14, V15)
	DOT(20, 0, 0)
	DOT(21, 4, 4)
	DOT(22, 8, 8)
	DOT(23, 12, 12)
	FOLD
	SCVTF4S(20, 20)
	FMAX4S(20, 20, 31)
	FSQRT4S(20, 20)
	FDIV4S(24, 31, 20)
	MOVD best+0(FP), R0
	MOVD query+8(FP), R1
	MOVD queries+16(FP), R2

token:
	VLD1.P 64(R1), [V16.B16, V17.B16, V18.B16, V19.B16]
	DOT(20, 0, 16)
	DOT(21, 4, 16)
	DOT(22, 8, 16)
	DOT(23, 12, 16)
	FOLD
	SCVTF4S(20, 20)
	FMUL4S(20, 20, 24)
	VLD1 (R0), [V25.S4]
	FMAX4S(20, 20, 25)
	VST1.P [V20.S4], 16(R0)
	SUBS $1, R2, R2
	BNE  token

	SUBS $1, R4, R4
	BNE  block
	RET
