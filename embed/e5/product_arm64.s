#include "textflag.h"

// Go's assembler lacks most of these vector instructions. They are encoded as
// words, each with the instruction in Arm's notation.

// The quantized matrix products. A tile is two rows and one panel of 16 columns. v0-v3 and
// v4-v7 are the integer sums of one group of 32 inputs, a lane for each column; v16-v19
// and v20-v23 the fp32 sums, which begin with the bias; v24-v27 the weights of four
// inputs. An odd last row is computed twice.

// productNEON multiplies to 16 bits and adds two products in 16 bits, each at most
// 128·127; v28 and v29 are four activations of each row in every lane.
//
// func productNEON(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr)
TEXT ·productNEON(SB), NOSPLIT, $0-72
	MOVD c+0(FP), R0
	MOVD ldcBytes+8(FP), R1
	MOVD a+16(FP), R2
	MOVD steps+24(FP), R3
	MOVD rows+32(FP), R4
	MOVD groups+64(FP), R8
	LSL  $5, R8, R9 // bytes per row of a
	LSL  $3, R8, R17 // bytes per row of steps

tile:
	MOVD w+40(FP), R5
	MOVD scale+48(FP), R6
	MOVD bias+56(FP), R7
	MOVD groups+64(FP), R8
	// R10 and R11 are the rows of a, R12 and R13 the rows of c, R14 and R15 their steps.
	MOVD R2, R10
	MOVD R0, R12
	MOVD R3, R14
	MOVD R2, R11
	MOVD R0, R13
	MOVD R3, R15
	CMP  $2, R4
	BLT  single
	ADD  R9, R2, R11
	ADD  R1, R0, R13
	ADD  R17, R3, R15
single:
	WORD $0xad4044f0 // ldp q16, q17, [x7]
	WORD $0xad414cf2 // ldp q18, q19, [x7, #32]
	WORD $0x4eb01e14 // mov v20.16b, v16.16b
	WORD $0x4eb11e35 // mov v21.16b, v17.16b
	WORD $0x4eb21e56 // mov v22.16b, v18.16b
	WORD $0x4eb31e77 // mov v23.16b, v19.16b

grp:
	WORD $0x4f000400 // movi v0.4s, #0
	WORD $0x4f000401 // movi v1.4s, #0
	WORD $0x4f000402 // movi v2.4s, #0
	WORD $0x4f000403 // movi v3.4s, #0
	WORD $0x4f000404 // movi v4.4s, #0
	WORD $0x4f000405 // movi v5.4s, #0
	WORD $0x4f000406 // movi v6.4s, #0
	WORD $0x4f000407 // movi v7.4s, #0
	MOVD $8, R16
quad:
	WORD $0xacc164b8 // ldp q24, q25, [x5], #32
	WORD $0xacc16cba // ldp q26, q27, [x5], #32
	WORD $0x4ddfc95c // ld1r {v28.4s}, [x10], #4
	WORD $0x4ddfc97d // ld1r {v29.4s}, [x11], #4
	WORD $0x0e3cc308 // smull v8.8h, v24.8b, v28.8b
	WORD $0x4e3cc309 // smull2 v9.8h, v24.16b, v28.16b
	WORD $0x0e3dc30a // smull v10.8h, v24.8b, v29.8b
	WORD $0x4e3dc30b // smull2 v11.8h, v24.16b, v29.16b
	WORD $0x4e69bd08 // addp v8.8h, v8.8h, v9.8h
	WORD $0x4e6bbd4a // addp v10.8h, v10.8h, v11.8h
	WORD $0x4e606900 // sadalp v0.4s, v8.8h
	WORD $0x4e606944 // sadalp v4.4s, v10.8h
	WORD $0x0e3cc32c // smull v12.8h, v25.8b, v28.8b
	WORD $0x4e3cc32d // smull2 v13.8h, v25.16b, v28.16b
	WORD $0x0e3dc32e // smull v14.8h, v25.8b, v29.8b
	WORD $0x4e3dc32f // smull2 v15.8h, v25.16b, v29.16b
	WORD $0x4e6dbd8c // addp v12.8h, v12.8h, v13.8h
	WORD $0x4e6fbdce // addp v14.8h, v14.8h, v15.8h
	WORD $0x4e606981 // sadalp v1.4s, v12.8h
	WORD $0x4e6069c5 // sadalp v5.4s, v14.8h
	WORD $0x0e3cc348 // smull v8.8h, v26.8b, v28.8b
	WORD $0x4e3cc349 // smull2 v9.8h, v26.16b, v28.16b
	WORD $0x0e3dc34a // smull v10.8h, v26.8b, v29.8b
	WORD $0x4e3dc34b // smull2 v11.8h, v26.16b, v29.16b
	WORD $0x4e69bd08 // addp v8.8h, v8.8h, v9.8h
	WORD $0x4e6bbd4a // addp v10.8h, v10.8h, v11.8h
	WORD $0x4e606902 // sadalp v2.4s, v8.8h
	WORD $0x4e606946 // sadalp v6.4s, v10.8h
	WORD $0x0e3cc36c // smull v12.8h, v27.8b, v28.8b
	WORD $0x4e3cc36d // smull2 v13.8h, v27.16b, v28.16b
	WORD $0x0e3dc36e // smull v14.8h, v27.8b, v29.8b
	WORD $0x4e3dc36f // smull2 v15.8h, v27.16b, v29.16b
	WORD $0x4e6dbd8c // addp v12.8h, v12.8h, v13.8h
	WORD $0x4e6fbdce // addp v14.8h, v14.8h, v15.8h
	WORD $0x4e606983 // sadalp v3.4s, v12.8h
	WORD $0x4e6069c7 // sadalp v7.4s, v14.8h
	SUBS $1, R16, R16
	BNE  quad
	// Multiply by the scales and the row's step.
	WORD $0xacc164d8 // ldp q24, q25, [x6], #32
	WORD $0xacc16cda // ldp q26, q27, [x6], #32
	WORD $0xbc4085dc // ldr s28, [x14], #8
	WORD $0xbc4085fd // ldr s29, [x15], #8
	WORD $0x4e21d800 // scvtf v0.4s, v0.4s
	WORD $0x4f9c9308 // fmul v8.4s, v24.4s, v28.s[0]
	WORD $0x4e21d821 // scvtf v1.4s, v1.4s
	WORD $0x4f9c9329 // fmul v9.4s, v25.4s, v28.s[0]
	WORD $0x4e21d842 // scvtf v2.4s, v2.4s
	WORD $0x4f9c934a // fmul v10.4s, v26.4s, v28.s[0]
	WORD $0x4e21d863 // scvtf v3.4s, v3.4s
	WORD $0x4f9c936b // fmul v11.4s, v27.4s, v28.s[0]
	WORD $0x4e21d884 // scvtf v4.4s, v4.4s
	WORD $0x4f9d930c // fmul v12.4s, v24.4s, v29.s[0]
	WORD $0x4e21d8a5 // scvtf v5.4s, v5.4s
	WORD $0x4f9d932d // fmul v13.4s, v25.4s, v29.s[0]
	WORD $0x4e21d8c6 // scvtf v6.4s, v6.4s
	WORD $0x4f9d934e // fmul v14.4s, v26.4s, v29.s[0]
	WORD $0x4e21d8e7 // scvtf v7.4s, v7.4s
	WORD $0x4f9d936f // fmul v15.4s, v27.4s, v29.s[0]
	WORD $0x6e28dc00 // fmul v0.4s, v0.4s, v8.4s
	WORD $0x4e20d610 // fadd v16.4s, v16.4s, v0.4s
	WORD $0x6e29dc21 // fmul v1.4s, v1.4s, v9.4s
	WORD $0x4e21d631 // fadd v17.4s, v17.4s, v1.4s
	WORD $0x6e2adc42 // fmul v2.4s, v2.4s, v10.4s
	WORD $0x4e22d652 // fadd v18.4s, v18.4s, v2.4s
	WORD $0x6e2bdc63 // fmul v3.4s, v3.4s, v11.4s
	WORD $0x4e23d673 // fadd v19.4s, v19.4s, v3.4s
	WORD $0x6e2cdc84 // fmul v4.4s, v4.4s, v12.4s
	WORD $0x4e24d694 // fadd v20.4s, v20.4s, v4.4s
	WORD $0x6e2ddca5 // fmul v5.4s, v5.4s, v13.4s
	WORD $0x4e25d6b5 // fadd v21.4s, v21.4s, v5.4s
	WORD $0x6e2edcc6 // fmul v6.4s, v6.4s, v14.4s
	WORD $0x4e26d6d6 // fadd v22.4s, v22.4s, v6.4s
	WORD $0x6e2fdce7 // fmul v7.4s, v7.4s, v15.4s
	WORD $0x4e27d6f7 // fadd v23.4s, v23.4s, v7.4s
	SUBS $1, R8, R8
	BNE  grp
	WORD $0xad004590 // stp q16, q17, [x12]
	WORD $0xad014d92 // stp q18, q19, [x12, #32]
	WORD $0xad0055b4 // stp q20, q21, [x13]
	WORD $0xad015db6 // stp q22, q23, [x13, #32]
	ADD  R9<<1, R2, R2
	ADD  R1<<1, R0, R0
	ADD  R17<<1, R3, R3
	SUBS $2, R4, R4
	BGT  tile
	RET

// productDot uses dot products of four bytes; v28 and v29 are 16 activations of each row.
//
// func productDot(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr)
TEXT ·productDot(SB), NOSPLIT, $0-72
	MOVD c+0(FP), R0
	MOVD ldcBytes+8(FP), R1
	MOVD a+16(FP), R2
	MOVD steps+24(FP), R3
	MOVD rows+32(FP), R4
	MOVD groups+64(FP), R8
	LSL  $5, R8, R9 // bytes per row of a
	LSL  $3, R8, R17 // bytes per row of steps

tile:
	MOVD w+40(FP), R5
	MOVD scale+48(FP), R6
	MOVD bias+56(FP), R7
	MOVD groups+64(FP), R8
	// R10 and R11 are the rows of a, R12 and R13 the rows of c, R14 and R15 their steps.
	MOVD R2, R10
	MOVD R0, R12
	MOVD R3, R14
	MOVD R2, R11
	MOVD R0, R13
	MOVD R3, R15
	CMP  $2, R4
	BLT  single
	ADD  R9, R2, R11
	ADD  R1, R0, R13
	ADD  R17, R3, R15
single:
	WORD $0xad4044f0 // ldp q16, q17, [x7]
	WORD $0xad414cf2 // ldp q18, q19, [x7, #32]
	WORD $0x4eb01e14 // mov v20.16b, v16.16b
	WORD $0x4eb11e35 // mov v21.16b, v17.16b
	WORD $0x4eb21e56 // mov v22.16b, v18.16b
	WORD $0x4eb31e77 // mov v23.16b, v19.16b

grp:
	WORD $0x4f000400 // movi v0.4s, #0
	WORD $0x4f000401 // movi v1.4s, #0
	WORD $0x4f000402 // movi v2.4s, #0
	WORD $0x4f000403 // movi v3.4s, #0
	WORD $0x4f000404 // movi v4.4s, #0
	WORD $0x4f000405 // movi v5.4s, #0
	WORD $0x4f000406 // movi v6.4s, #0
	WORD $0x4f000407 // movi v7.4s, #0
	MOVD $2, R16
half:
	WORD $0x3cc1055c // ldr q28, [x10], #16
	WORD $0x3cc1057d // ldr q29, [x11], #16
	WORD $0xacc164b8 // ldp q24, q25, [x5], #32
	WORD $0xacc16cba // ldp q26, q27, [x5], #32
	WORD $0x4f9ce300 // sdot v0.4s, v24.16b, v28.4b[0]
	WORD $0x4f9de304 // sdot v4.4s, v24.16b, v29.4b[0]
	WORD $0x4f9ce321 // sdot v1.4s, v25.16b, v28.4b[0]
	WORD $0x4f9de325 // sdot v5.4s, v25.16b, v29.4b[0]
	WORD $0x4f9ce342 // sdot v2.4s, v26.16b, v28.4b[0]
	WORD $0x4f9de346 // sdot v6.4s, v26.16b, v29.4b[0]
	WORD $0x4f9ce363 // sdot v3.4s, v27.16b, v28.4b[0]
	WORD $0x4f9de367 // sdot v7.4s, v27.16b, v29.4b[0]
	WORD $0xacc164b8 // ldp q24, q25, [x5], #32
	WORD $0xacc16cba // ldp q26, q27, [x5], #32
	WORD $0x4fbce300 // sdot v0.4s, v24.16b, v28.4b[1]
	WORD $0x4fbde304 // sdot v4.4s, v24.16b, v29.4b[1]
	WORD $0x4fbce321 // sdot v1.4s, v25.16b, v28.4b[1]
	WORD $0x4fbde325 // sdot v5.4s, v25.16b, v29.4b[1]
	WORD $0x4fbce342 // sdot v2.4s, v26.16b, v28.4b[1]
	WORD $0x4fbde346 // sdot v6.4s, v26.16b, v29.4b[1]
	WORD $0x4fbce363 // sdot v3.4s, v27.16b, v28.4b[1]
	WORD $0x4fbde367 // sdot v7.4s, v27.16b, v29.4b[1]
	WORD $0xacc164b8 // ldp q24, q25, [x5], #32
	WORD $0xacc16cba // ldp q26, q27, [x5], #32
	WORD $0x4f9ceb00 // sdot v0.4s, v24.16b, v28.4b[2]
	WORD $0x4f9deb04 // sdot v4.4s, v24.16b, v29.4b[2]
	WORD $0x4f9ceb21 // sdot v1.4s, v25.16b, v28.4b[2]
	WORD $0x4f9deb25 // sdot v5.4s, v25.16b, v29.4b[2]
	WORD $0x4f9ceb42 // sdot v2.4s, v26.16b, v28.4b[2]
	WORD $0x4f9deb46 // sdot v6.4s, v26.16b, v29.4b[2]
	WORD $0x4f9ceb63 // sdot v3.4s, v27.16b, v28.4b[2]
	WORD $0x4f9deb67 // sdot v7.4s, v27.16b, v29.4b[2]
	WORD $0xacc164b8 // ldp q24, q25, [x5], #32
	WORD $0xacc16cba // ldp q26, q27, [x5], #32
	WORD $0x4fbceb00 // sdot v0.4s, v24.16b, v28.4b[3]
	WORD $0x4fbdeb04 // sdot v4.4s, v24.16b, v29.4b[3]
	WORD $0x4fbceb21 // sdot v1.4s, v25.16b, v28.4b[3]
	WORD $0x4fbdeb25 // sdot v5.4s, v25.16b, v29.4b[3]
	WORD $0x4fbceb42 // sdot v2.4s, v26.16b, v28.4b[3]
	WORD $0x4fbdeb46 // sdot v6.4s, v26.16b, v29.4b[3]
	WORD $0x4fbceb63 // sdot v3.4s, v27.16b, v28.4b[3]
	WORD $0x4fbdeb67 // sdot v7.4s, v27.16b, v29.4b[3]
	SUBS $1, R16, R16
	BNE  half
	// Multiply by the scales and the row's step.
	WORD $0xacc164d8 // ldp q24, q25, [x6], #32
	WORD $0xacc16cda // ldp q26, q27, [x6], #32
	WORD $0xbc4085dc // ldr s28, [x14], #8
	WORD $0xbc4085fd // ldr s29, [x15], #8
	WORD $0x4e21d800 // scvtf v0.4s, v0.4s
	WORD $0x4f9c9308 // fmul v8.4s, v24.4s, v28.s[0]
	WORD $0x4e21d821 // scvtf v1.4s, v1.4s
	WORD $0x4f9c9329 // fmul v9.4s, v25.4s, v28.s[0]
	WORD $0x4e21d842 // scvtf v2.4s, v2.4s
	WORD $0x4f9c934a // fmul v10.4s, v26.4s, v28.s[0]
	WORD $0x4e21d863 // scvtf v3.4s, v3.4s
	WORD $0x4f9c936b // fmul v11.4s, v27.4s, v28.s[0]
	WORD $0x4e21d884 // scvtf v4.4s, v4.4s
	WORD $0x4f9d930c // fmul v12.4s, v24.4s, v29.s[0]
	WORD $0x4e21d8a5 // scvtf v5.4s, v5.4s
	WORD $0x4f9d932d // fmul v13.4s, v25.4s, v29.s[0]
	WORD $0x4e21d8c6 // scvtf v6.4s, v6.4s
	WORD $0x4f9d934e // fmul v14.4s, v26.4s, v29.s[0]
	WORD $0x4e21d8e7 // scvtf v7.4s, v7.4s
	WORD $0x4f9d936f // fmul v15.4s, v27.4s, v29.s[0]
	WORD $0x6e28dc00 // fmul v0.4s, v0.4s, v8.4s
	WORD $0x4e20d610 // fadd v16.4s, v16.4s, v0.4s
	WORD $0x6e29dc21 // fmul v1.4s, v1.4s, v9.4s
	WORD $0x4e21d631 // fadd v17.4s, v17.4s, v1.4s
	WORD $0x6e2adc42 // fmul v2.4s, v2.4s, v10.4s
	WORD $0x4e22d652 // fadd v18.4s, v18.4s, v2.4s
	WORD $0x6e2bdc63 // fmul v3.4s, v3.4s, v11.4s
	WORD $0x4e23d673 // fadd v19.4s, v19.4s, v3.4s
	WORD $0x6e2cdc84 // fmul v4.4s, v4.4s, v12.4s
	WORD $0x4e24d694 // fadd v20.4s, v20.4s, v4.4s
	WORD $0x6e2ddca5 // fmul v5.4s, v5.4s, v13.4s
	WORD $0x4e25d6b5 // fadd v21.4s, v21.4s, v5.4s
	WORD $0x6e2edcc6 // fmul v6.4s, v6.4s, v14.4s
	WORD $0x4e26d6d6 // fadd v22.4s, v22.4s, v6.4s
	WORD $0x6e2fdce7 // fmul v7.4s, v7.4s, v15.4s
	WORD $0x4e27d6f7 // fadd v23.4s, v23.4s, v7.4s
	SUBS $1, R8, R8
	BNE  grp
	WORD $0xad004590 // stp q16, q17, [x12]
	WORD $0xad014d92 // stp q18, q19, [x12, #32]
	WORD $0xad0055b4 // stp q20, q21, [x13]
	WORD $0xad015db6 // stp q22, q23, [x13, #32]
	ADD  R9<<1, R2, R2
	ADD  R1<<1, R0, R0
	ADD  R17<<1, R3, R3
	SUBS $2, R4, R4
	BGT  tile
	RET
