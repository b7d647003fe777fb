#include "textflag.h"

// Go's assembler lacks most of these vector instructions. They are encoded as
// words, each with the instruction in Arm's notation.

// The quantized matrix product. A tile is two rows and one panel of 16 columns.
// v0-v7 and v8-v15 are the integer sums of one group of 32 inputs, for each row
// two lanes a column (even and odd inputs); v16-v19 and v20-v23 the fp32 sums,
// which begin with the bias;
// v24-v27 the weights of two inputs widened to 16 bits; v28 and v29 two
// activations of each row in every pair of lanes. An odd last row is computed
// twice.
//
// func productNEON(c *float32, ldcBytes uintptr, a *int16, steps *float32, rows uintptr, w *int8, scale, bias *float32, groups uintptr)
TEXT ·productNEON(SB), NOSPLIT, $0-72
	MOVD c+0(FP), R0
	MOVD ldcBytes+8(FP), R1
	MOVD a+16(FP), R2
	MOVD steps+24(FP), R3
	MOVD rows+32(FP), R4
	MOVD groups+64(FP), R8
	LSL  $6, R8, R9 // bytes of a row of a
	LSL  $2, R8, R17 // of a row of steps

tile:
	MOVD w+40(FP), R5
	MOVD scale+48(FP), R6
	MOVD bias+56(FP), R7
	MOVD groups+64(FP), R8
	// R10, R11: the rows of a. R12, R13: those of c. R14, R15: their steps.
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
	WORD $0x4f000408 // movi v8.4s, #0
	WORD $0x4f000409 // movi v9.4s, #0
	WORD $0x4f00040a // movi v10.4s, #0
	WORD $0x4f00040b // movi v11.4s, #0
	WORD $0x4f00040c // movi v12.4s, #0
	WORD $0x4f00040d // movi v13.4s, #0
	WORD $0x4f00040e // movi v14.4s, #0
	WORD $0x4f00040f // movi v15.4s, #0
	MOVD $16, R16
pair:
	WORD $0xacc168b8 // ldp q24, q26, [x5], #32
	WORD $0x4ddfc95c // ld1r {v28.4s}, [x10], #4
	WORD $0x4ddfc97d // ld1r {v29.4s}, [x11], #4
	WORD $0x4f08a719 // sxtl2 v25.8h, v24.16b
	WORD $0x0f08a718 // sxtl v24.8h, v24.8b
	WORD $0x4f08a75b // sxtl2 v27.8h, v26.16b
	WORD $0x0f08a75a // sxtl v26.8h, v26.8b
	WORD $0x0e7c8300 // smlal v0.4s, v24.4h, v28.4h
	WORD $0x4e7c8301 // smlal2 v1.4s, v24.8h, v28.8h
	WORD $0x0e7d8308 // smlal v8.4s, v24.4h, v29.4h
	WORD $0x4e7d8309 // smlal2 v9.4s, v24.8h, v29.8h
	WORD $0x0e7c8322 // smlal v2.4s, v25.4h, v28.4h
	WORD $0x4e7c8323 // smlal2 v3.4s, v25.8h, v28.8h
	WORD $0x0e7d832a // smlal v10.4s, v25.4h, v29.4h
	WORD $0x4e7d832b // smlal2 v11.4s, v25.8h, v29.8h
	WORD $0x0e7c8344 // smlal v4.4s, v26.4h, v28.4h
	WORD $0x4e7c8345 // smlal2 v5.4s, v26.8h, v28.8h
	WORD $0x0e7d834c // smlal v12.4s, v26.4h, v29.4h
	WORD $0x4e7d834d // smlal2 v13.4s, v26.8h, v29.8h
	WORD $0x0e7c8366 // smlal v6.4s, v27.4h, v28.4h
	WORD $0x4e7c8367 // smlal2 v7.4s, v27.8h, v28.8h
	WORD $0x0e7d836e // smlal v14.4s, v27.4h, v29.4h
	WORD $0x4e7d836f // smlal2 v15.4s, v27.8h, v29.8h
	SUBS $1, R16, R16
	BNE  pair
	// Even and odd inputs together, times the scales and the row's step.
	WORD $0xacc164d8 // ldp q24, q25, [x6], #32
	WORD $0xacc16cda // ldp q26, q27, [x6], #32
	WORD $0x4ddfc9dc // ld1r {v28.4s}, [x14], #4
	WORD $0x4ddfc9fd // ld1r {v29.4s}, [x15], #4
	WORD $0x4ea1bc00 // addp v0.4s, v0.4s, v1.4s
	WORD $0x4e21d800 // scvtf v0.4s, v0.4s
	WORD $0x6e3cdf1e // fmul v30.4s, v24.4s, v28.4s
	WORD $0x6e3edc00 // fmul v0.4s, v0.4s, v30.4s
	WORD $0x4e20d610 // fadd v16.4s, v16.4s, v0.4s
	WORD $0x4ea3bc42 // addp v2.4s, v2.4s, v3.4s
	WORD $0x4e21d842 // scvtf v2.4s, v2.4s
	WORD $0x6e3cdf3e // fmul v30.4s, v25.4s, v28.4s
	WORD $0x6e3edc42 // fmul v2.4s, v2.4s, v30.4s
	WORD $0x4e22d631 // fadd v17.4s, v17.4s, v2.4s
	WORD $0x4ea5bc84 // addp v4.4s, v4.4s, v5.4s
	WORD $0x4e21d884 // scvtf v4.4s, v4.4s
	WORD $0x6e3cdf5e // fmul v30.4s, v26.4s, v28.4s
	WORD $0x6e3edc84 // fmul v4.4s, v4.4s, v30.4s
	WORD $0x4e24d652 // fadd v18.4s, v18.4s, v4.4s
	WORD $0x4ea7bcc6 // addp v6.4s, v6.4s, v7.4s
	WORD $0x4e21d8c6 // scvtf v6.4s, v6.4s
	WORD $0x6e3cdf7e // fmul v30.4s, v27.4s, v28.4s
	WORD $0x6e3edcc6 // fmul v6.4s, v6.4s, v30.4s
	WORD $0x4e26d673 // fadd v19.4s, v19.4s, v6.4s
	WORD $0x4ea9bd08 // addp v8.4s, v8.4s, v9.4s
	WORD $0x4e21d908 // scvtf v8.4s, v8.4s
	WORD $0x6e3ddf1e // fmul v30.4s, v24.4s, v29.4s
	WORD $0x6e3edd08 // fmul v8.4s, v8.4s, v30.4s
	WORD $0x4e28d694 // fadd v20.4s, v20.4s, v8.4s
	WORD $0x4eabbd4a // addp v10.4s, v10.4s, v11.4s
	WORD $0x4e21d94a // scvtf v10.4s, v10.4s
	WORD $0x6e3ddf3e // fmul v30.4s, v25.4s, v29.4s
	WORD $0x6e3edd4a // fmul v10.4s, v10.4s, v30.4s
	WORD $0x4e2ad6b5 // fadd v21.4s, v21.4s, v10.4s
	WORD $0x4eadbd8c // addp v12.4s, v12.4s, v13.4s
	WORD $0x4e21d98c // scvtf v12.4s, v12.4s
	WORD $0x6e3ddf5e // fmul v30.4s, v26.4s, v29.4s
	WORD $0x6e3edd8c // fmul v12.4s, v12.4s, v30.4s
	WORD $0x4e2cd6d6 // fadd v22.4s, v22.4s, v12.4s
	WORD $0x4eafbdce // addp v14.4s, v14.4s, v15.4s
	WORD $0x4e21d9ce // scvtf v14.4s, v14.4s
	WORD $0x6e3ddf7e // fmul v30.4s, v27.4s, v29.4s
	WORD $0x6e3eddce // fmul v14.4s, v14.4s, v30.4s
	WORD $0x4e2ed6f7 // fadd v23.4s, v23.4s, v14.4s
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
