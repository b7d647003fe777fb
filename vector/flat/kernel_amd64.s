#include "textflag.h"

// STEP widens the 8 halves at BASE, multiplies them by the query's lanes (Y8)
// and adds the products to ACC. Products and sums are rounded separately: see
// kernel.go.
#define STEP(BASE, ACC, TMP) \
	VCVTPH2PS (BASE)(AX*2), TMP; \
	VMULPS    Y8, TMP, TMP; \
	VADDPS    TMP, ACC, ACC

// REDUCE adds the 8 lanes of ACC (its lower half is XACC) and stores the sum.
#define REDUCE(ACC, XACC, AT) \
	VEXTRACTF128 $1, ACC, X9; \
	VADDPS       X9, XACC, XACC; \
	VMOVHLPS     XACC, XACC, X9; \
	VADDPS       X9, XACC, XACC; \
	VMOVSHDUP    XACC, X9; \
	VADDSS       X9, XACC, XACC; \
	VMOVSS       XACC, AT

// func dotRowsAVX2(scores, query *float32, rows *uint16, stride, count int)
//
// Four rows at a time: their dependency chains of additions hide one another's
// latency, and each load of the query serves all four.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ scores+0(FP), DI
	MOVQ query+8(FP), SI
	MOVQ rows+16(FP), R8
	MOVQ stride+24(FP), CX
	MOVQ count+32(FP), DX

four:
	CMPQ   DX, $4
	JLT    one
	LEAQ   (R8)(CX*2), R9
	LEAQ   (R9)(CX*2), R10
	LEAQ   (R10)(CX*2), R11
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ   AX, AX

fourLanes:
	VMOVUPS (SI)(AX*4), Y8
	STEP(R8, Y0, Y4)
	STEP(R9, Y1, Y5)
	STEP(R10, Y2, Y6)
	STEP(R11, Y3, Y7)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     fourLanes

	REDUCE(Y0, X0, (DI))
	REDUCE(Y1, X1, 4(DI))
	REDUCE(Y2, X2, 8(DI))
	REDUCE(Y3, X3, 12(DI))
	LEAQ (R11)(CX*2), R8
	ADDQ $16, DI
	SUBQ $4, DX
	JMP  four

one:
	TESTQ  DX, DX
	JEQ    done
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

oneLanes:
	VMOVUPS (SI)(AX*4), Y8
	STEP(R8, Y0, Y4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     oneLanes

	REDUCE(Y0, X0, (DI))
	LEAQ (R8)(CX*2), R8
	ADDQ $4, DI
	DECQ DX
	JMP  one

done:
	VZEROUPPER
	RET

// PRODUCT widens the 16 bytes at BASE, multiplies them by the query's elements
// (Y8) and adds pairs of products to ACC.
#define PRODUCT(BASE, ACC, TMP) \
	VPMOVSXBW (BASE)(AX*1), TMP; \
	VPMADDWD  Y8, TMP, TMP; \
	VPADDD    TMP, ACC, ACC

// func multiplyRowsAVX2(dots *int32, query *int16, rows *int8, stride, count int)
//
// Four rows at a time, 16 elements a step, and 8 at the end if there are as many.
TEXT ·multiplyRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ dots+0(FP), DI
	MOVQ query+8(FP), SI
	MOVQ rows+16(FP), R8
	MOVQ stride+24(FP), CX
	MOVQ count+32(FP), DX
	MOVQ CX, BX
	ANDQ $~15, BX

four:
	CMPQ  DX, $4
	JLT   one
	LEAQ  (R8)(CX*1), R9
	LEAQ  (R9)(CX*1), R10
	LEAQ  (R10)(CX*1), R11
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  AX, AX

fourElements:
	CMPQ    AX, BX
	JGE     fourRest
	VMOVDQU (SI)(AX*2), Y8
	PRODUCT(R8, Y0, Y4)
	PRODUCT(R9, Y1, Y5)
	PRODUCT(R10, Y2, Y6)
	PRODUCT(R11, Y3, Y7)
	ADDQ    $16, AX
	JMP     fourElements

fourRest:
	CMPQ      AX, CX
	JGE       fourSums
	VMOVDQU   (SI)(AX*2), X8
	VPMOVSXBW (R8)(AX*1), X4
	VPMOVSXBW (R9)(AX*1), X5
	VPMOVSXBW (R10)(AX*1), X6
	VPMOVSXBW (R11)(AX*1), X7
	VPMADDWD  X8, X4, X4
	VPMADDWD  X8, X5, X5
	VPMADDWD  X8, X6, X6
	VPMADDWD  X8, X7, X7
	VPADDD    Y4, Y0, Y0
	VPADDD    Y5, Y1, Y1
	VPADDD    Y6, Y2, Y2
	VPADDD    Y7, Y3, Y3

fourSums:
	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (DI)
	LEAQ         (R11)(CX*1), R8
	ADDQ         $16, DI
	SUBQ         $4, DX
	JMP          four

one:
	TESTQ DX, DX
	JEQ   done
	VPXOR Y0, Y0, Y0
	XORQ  AX, AX

oneElements:
	CMPQ    AX, BX
	JGE     oneRest
	VMOVDQU (SI)(AX*2), Y8
	PRODUCT(R8, Y0, Y4)
	ADDQ    $16, AX
	JMP     oneElements

oneRest:
	CMPQ      AX, CX
	JGE       oneSum
	VMOVDQU   (SI)(AX*2), X8
	VPMOVSXBW (R8)(AX*1), X4
	VPMADDWD  X8, X4, X4
	VPADDD    Y4, Y0, Y0

oneSum:
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPHADDD      X0, X0, X0
	VPHADDD      X0, X0, X0
	VMOVD        X0, (DI)
	LEAQ         (R8)(CX*1), R8
	ADDQ         $4, DI
	DECQ         DX
	JMP          one

done:
	VZEROUPPER
	RET
