#include "textflag.h"

// func sumProductsAVX2(sums *[4]float64, query *float32, h *uint16, n int)
TEXT ·sumProductsAVX2(SB), NOSPLIT, $0-32
	MOVQ    sums+0(FP), DI
	MOVQ    query+8(FP), SI
	MOVQ    h+16(FP), R8
	MOVQ    n+24(FP), CX
	VXORPD  Y0, Y0, Y0
	XORQ    AX, AX

next:
	VCVTPH2PS (R8)(AX*2), X1
	VCVTPS2PD X1, Y1
	VCVTPS2PD (SI)(AX*4), Y2
	VMULPD    Y2, Y1, Y1
	VADDPD    Y1, Y0, Y0
	ADDQ      $4, AX
	CMPQ      AX, CX
	JLT       next

	VMOVUPD Y0, (DI)
	VZEROUPPER
	RET
