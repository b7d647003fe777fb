#include "textflag.h"

DATA ·constants<>+0(SB)/4, $0x0f0f0f0f // mask of the lower half of each byte
DATA ·constants<>+4(SB)/4, $0x08080808 // codeOffset in each byte
DATA ·constants<>+8(SB)/4, $0x00010001 // 1 in each 16 bits
DATA ·constants<>+12(SB)/4, $0x80808080
DATA ·constants<>+16(SB)/4, $0x3f800000 // 1 as float32
GLOBL ·constants<>(SB), RODATA|NOPTR, $20

// UNPACK sets LO and HI to the 64 components of the code at AT, from -8 to 7.
// Y12 is the mask, Y13 the offset.
#define UNPACK(AT, LO, HI) \
	VMOVDQU AT(R8), LO; \
	VPSRLW  $4, LO, HI; \
	VPAND   Y12, LO, LO; \
	VPAND   Y12, HI, HI; \
	VPSUBB  Y13, LO, LO; \
	VPSUBB  Y13, HI, HI

// Each of the next three macros sets ACC to 8 partial sums of one token. The 16-bit sums
// are at most 4·255·8.

// SQUARE computes the square of the token's length.
#define SQUARE(LO, HI, ACC) \
	VPABSB     LO, ACC; \
	VPABSB     HI, Y11; \
	VPMADDUBSW ACC, ACC, ACC; \
	VPMADDUBSW Y11, Y11, Y11; \
	VPADDW     Y11, ACC, ACC; \
	VPMADDWD   Y14, ACC, ACC

// OFFSET computes 128 times the sum of the token's components.
#define OFFSET(LO, HI, ACC) \
	VPMADDUBSW LO, Y15, ACC; \
	VPMADDUBSW HI, Y15, Y11; \
	VPADDW     Y11, ACC, ACC; \
	VPMADDWD   Y14, ACC, ACC

// DOT computes the dot product with the components of the question's token plus 128 (Y12,
// Y13): one factor of the instruction is unsigned.
#define DOT(LO, HI, ACC) \
	VPMADDUBSW LO, Y12, ACC; \
	VPMADDUBSW HI, Y13, Y11; \
	VPADDW     Y11, ACC, ACC; \
	VPMADDWD   Y14, ACC, ACC

// EACH sets X8 to the results of SUM for the four tokens.
#define EACH(SUM) \
	SUM(Y0, Y1, Y8); \
	SUM(Y2, Y3, Y9); \
	VPHADDD Y9, Y8, Y8; \
	SUM(Y4, Y5, Y9); \
	SUM(Y6, Y7, Y10); \
	VPHADDD Y10, Y9, Y9; \
	VPHADDD Y9, Y8, Y8; \
	VEXTRACTI128 $1, Y8, X9; \
	VPADDD  X9, X8, X8

// func bestBlocksAVX2(best *lanes, query *Vector, queries int, codes *byte, blocks int)
//
// Four tokens of the entry stay in Y0-Y7 while the loop runs over the tokens of the
// question. The stack has their OFFSET, then their inverse lengths.
TEXT ·bestBlocksAVX2(SB), NOSPLIT, $32-40
	MOVQ codes+24(FP), R8
	MOVQ blocks+32(FP), DX
	VPBROADCASTD ·constants<>+8(SB), Y14
	VPBROADCASTD ·constants<>+12(SB), Y15

block:
	VPBROADCASTD ·constants<>+0(SB), Y12
	VPBROADCASTD ·constants<>+4(SB), Y13
	UNPACK(0, Y0, Y1)
	UNPACK(32, Y2, Y3)
	UNPACK(64, Y4, Y5)
	UNPACK(96, Y6, Y7)
	EACH(OFFSET)
	VMOVDQU X8, 0(SP)
	EACH(SQUARE)
	VPBROADCASTD ·constants<>+16(SB), X9
	VCVTDQ2PS X8, X8
	VMAXPS  X9, X8, X8
	VSQRTPS X8, X8
	VDIVPS  X8, X9, X8
	VMOVUPS X8, 16(SP)
	MOVQ best+0(FP), DI
	MOVQ query+8(FP), SI
	MOVQ queries+16(FP), CX

token:
	VPXOR (SI), Y15, Y12
	VPXOR 32(SI), Y15, Y13
	EACH(DOT)
	VPSUBD    0(SP), X8, X8
	VCVTDQ2PS X8, X8
	VMULPS    16(SP), X8, X8
	VMAXPS    (DI), X8, X8
	VMOVUPS   X8, (DI)
	ADDQ $64, SI
	ADDQ $16, DI
	DECQ CX
	JNZ  token

	ADDQ $128, R8
	DECQ DX
	JNZ  block

	VZEROUPPER
	RET
