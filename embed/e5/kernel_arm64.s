#include "textflag.h"

// Go's assembler lacks most of these vector instructions. They are encoded as
// words, each with the instruction in Arm's notation.

// func multiplyNEON(c *float32, ldcBytes uintptr, a *float32, ldaBytes, rows uintptr, b *float32, ldbBytes, k uintptr)
//
// Tiles of four rows and 16 columns, in v0-v15. A last tile with fewer rows repeats its
// last row.
TEXT ·multiplyNEON(SB), NOSPLIT, $0-64
	MOVD c+0(FP), R0
	MOVD ldcBytes+8(FP), R1
	MOVD a+16(FP), R2
	MOVD ldaBytes+24(FP), R3
	MOVD rows+32(FP), R4
	MOVD ldbBytes+48(FP), R6

tile:
	// R8-R11 are the rows of a, R12-R15 the rows of c.
	MOVD R2, R8
	MOVD R0, R12
	MOVD R8, R9
	MOVD R12, R13
	CMP  $2, R4
	BLT  rows1
	ADD  R3, R9, R9
	ADD  R1, R13, R13
rows1:
	MOVD R9, R10
	MOVD R13, R14
	CMP  $3, R4
	BLT  rows2
	ADD  R3, R10, R10
	ADD  R1, R14, R14
rows2:
	MOVD R10, R11
	MOVD R14, R15
	CMP  $4, R4
	BLT  rows3
	ADD  R3, R11, R11
	ADD  R1, R15, R15
rows3:
	MOVD b+40(FP), R5
	MOVD k+56(FP), R7
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
step:
	WORD $0xad4044b0 // ldp q16, q17, [x5]
	WORD $0xad414cb2 // ldp q18, q19, [x5, #32]
	WORD $0x4ddfc914 // ld1r {v20.4s}, [x8], #4
	WORD $0x4ddfc935 // ld1r {v21.4s}, [x9], #4
	WORD $0x4ddfc956 // ld1r {v22.4s}, [x10], #4
	WORD $0x4ddfc977 // ld1r {v23.4s}, [x11], #4
	WORD $0x6e34de18 // fmul v24.4s, v16.4s, v20.4s
	WORD $0x4e38d400 // fadd v0.4s, v0.4s, v24.4s
	WORD $0x6e34de39 // fmul v25.4s, v17.4s, v20.4s
	WORD $0x4e39d421 // fadd v1.4s, v1.4s, v25.4s
	WORD $0x6e34de5a // fmul v26.4s, v18.4s, v20.4s
	WORD $0x4e3ad442 // fadd v2.4s, v2.4s, v26.4s
	WORD $0x6e34de7b // fmul v27.4s, v19.4s, v20.4s
	WORD $0x4e3bd463 // fadd v3.4s, v3.4s, v27.4s
	WORD $0x6e35de18 // fmul v24.4s, v16.4s, v21.4s
	WORD $0x4e38d484 // fadd v4.4s, v4.4s, v24.4s
	WORD $0x6e35de39 // fmul v25.4s, v17.4s, v21.4s
	WORD $0x4e39d4a5 // fadd v5.4s, v5.4s, v25.4s
	WORD $0x6e35de5a // fmul v26.4s, v18.4s, v21.4s
	WORD $0x4e3ad4c6 // fadd v6.4s, v6.4s, v26.4s
	WORD $0x6e35de7b // fmul v27.4s, v19.4s, v21.4s
	WORD $0x4e3bd4e7 // fadd v7.4s, v7.4s, v27.4s
	WORD $0x6e36de18 // fmul v24.4s, v16.4s, v22.4s
	WORD $0x4e38d508 // fadd v8.4s, v8.4s, v24.4s
	WORD $0x6e36de39 // fmul v25.4s, v17.4s, v22.4s
	WORD $0x4e39d529 // fadd v9.4s, v9.4s, v25.4s
	WORD $0x6e36de5a // fmul v26.4s, v18.4s, v22.4s
	WORD $0x4e3ad54a // fadd v10.4s, v10.4s, v26.4s
	WORD $0x6e36de7b // fmul v27.4s, v19.4s, v22.4s
	WORD $0x4e3bd56b // fadd v11.4s, v11.4s, v27.4s
	WORD $0x6e37de18 // fmul v24.4s, v16.4s, v23.4s
	WORD $0x4e38d58c // fadd v12.4s, v12.4s, v24.4s
	WORD $0x6e37de39 // fmul v25.4s, v17.4s, v23.4s
	WORD $0x4e39d5ad // fadd v13.4s, v13.4s, v25.4s
	WORD $0x6e37de5a // fmul v26.4s, v18.4s, v23.4s
	WORD $0x4e3ad5ce // fadd v14.4s, v14.4s, v26.4s
	WORD $0x6e37de7b // fmul v27.4s, v19.4s, v23.4s
	WORD $0x4e3bd5ef // fadd v15.4s, v15.4s, v27.4s
	ADD  R6, R5, R5
	SUBS $1, R7, R7
	BNE  step
	WORD $0xad000580 // stp q0, q1, [x12]
	WORD $0xad010d82 // stp q2, q3, [x12, #32]
	WORD $0xad0015a4 // stp q4, q5, [x13]
	WORD $0xad011da6 // stp q6, q7, [x13, #32]
	WORD $0xad0025c8 // stp q8, q9, [x14]
	WORD $0xad012dca // stp q10, q11, [x14, #32]
	WORD $0xad0035ec // stp q12, q13, [x15]
	WORD $0xad013dee // stp q14, q15, [x15, #32]
	ADD  R3<<2, R2, R2
	ADD  R1<<2, R0, R0
	SUBS $4, R4, R4
	BGT  tile
	RET

// activation.go explains the exponential function. R2 points
// to vectorConstants.
//
// func softmaxNEON(x *float32, n uintptr, t *[11][4]float32)
TEXT ·softmaxNEON(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	MOVD t+16(FP), R2
	MOVD R0, R3
	MOVD R1, R4
	WORD $0x3dc00000 // ldr q0, [x0]
largest:
	WORD $0x3cc10461 // ldr q1, [x3], #16
	WORD $0x4e21f400 // fmax v0.4s, v0.4s, v1.4s
	SUBS $4, R4, R4
	BNE  largest
	WORD $0x6e30f800 // fmaxv s0, v0.4s
	WORD $0x4e040400 // dup v0.4s, v0.s[0]
	WORD $0x4f000410 // movi v16.4s, #0
	WORD $0x4f000411 // movi v17.4s, #0
	MOVD R0, R3
	MOVD R1, R4
exponential:
	WORD $0x3dc00061 // ldr q1, [x3]
	WORD $0x4ea0d421 // fsub v1.4s, v1.4s, v0.4s
	WORD $0x3dc00043 // ldr q3, [x2]
	WORD $0x4e23f421 // fmax v1.4s, v1.4s, v3.4s
	WORD $0x3dc00443 // ldr q3, [x2, #16]
	WORD $0x6e23dc22 // fmul v2.4s, v1.4s, v3.4s
	WORD $0x4e218842 // frintn v2.4s, v2.4s
	WORD $0xad411043 // ldp q3, q4, [x2, #32]
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x4ea3d421 // fsub v1.4s, v1.4s, v3.4s
	WORD $0x6e22dc84 // fmul v4.4s, v4.4s, v2.4s
	WORD $0x4ea4d421 // fsub v1.4s, v1.4s, v4.4s
	WORD $0x3dc01043 // ldr q3, [x2, #64]
	WORD $0x3dc01444 // ldr q4, [x2, #80]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc01844 // ldr q4, [x2, #96]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc01c44 // ldr q4, [x2, #112]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc02044 // ldr q4, [x2, #128]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc02444 // ldr q4, [x2, #144]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc02444 // ldr q4, [x2, #144]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x4e21a842 // fcvtns v2.4s, v2.4s
	WORD $0x3dc02844 // ldr q4, [x2, #160]
	WORD $0x4ea48442 // add v2.4s, v2.4s, v4.4s
	WORD $0x4f375442 // shl v2.4s, v2.4s, #23
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x3c810463 // str q3, [x3], #16
	WORD $0x4e23d610 // fadd v16.4s, v16.4s, v3.4s
	WORD $0x3dc00061 // ldr q1, [x3]
	WORD $0x4ea0d421 // fsub v1.4s, v1.4s, v0.4s
	WORD $0x3dc00043 // ldr q3, [x2]
	WORD $0x4e23f421 // fmax v1.4s, v1.4s, v3.4s
	WORD $0x3dc00443 // ldr q3, [x2, #16]
	WORD $0x6e23dc22 // fmul v2.4s, v1.4s, v3.4s
	WORD $0x4e218842 // frintn v2.4s, v2.4s
	WORD $0xad411043 // ldp q3, q4, [x2, #32]
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x4ea3d421 // fsub v1.4s, v1.4s, v3.4s
	WORD $0x6e22dc84 // fmul v4.4s, v4.4s, v2.4s
	WORD $0x4ea4d421 // fsub v1.4s, v1.4s, v4.4s
	WORD $0x3dc01043 // ldr q3, [x2, #64]
	WORD $0x3dc01444 // ldr q4, [x2, #80]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc01844 // ldr q4, [x2, #96]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc01c44 // ldr q4, [x2, #112]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc02044 // ldr q4, [x2, #128]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc02444 // ldr q4, [x2, #144]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x3dc02444 // ldr q4, [x2, #144]
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s
	WORD $0x4e21a842 // fcvtns v2.4s, v2.4s
	WORD $0x3dc02844 // ldr q4, [x2, #160]
	WORD $0x4ea48442 // add v2.4s, v2.4s, v4.4s
	WORD $0x4f375442 // shl v2.4s, v2.4s, #23
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x3c810463 // str q3, [x3], #16
	WORD $0x4e23d631 // fadd v17.4s, v17.4s, v3.4s
	SUBS $8, R4, R4
	BNE  exponential
	WORD $0x4e31d610 // fadd v16.4s, v16.4s, v17.4s
	WORD $0x6e104211 // ext v17.16b, v16.16b, v16.16b, #8
	WORD $0x4e31d610 // fadd v16.4s, v16.4s, v17.4s
	WORD $0x6e30d610 // faddp v16.4s, v16.4s, v16.4s
	WORD $0x3dc02441 // ldr q1, [x2, #144]
	WORD $0x6e30fc20 // fdiv v0.4s, v1.4s, v16.4s
divide:
	WORD $0x3dc00001 // ldr q1, [x0]
	WORD $0x6e20dc21 // fmul v1.4s, v1.4s, v0.4s
	WORD $0x3c810401 // str q1, [x0], #16
	SUBS $4, R1, R1
	BNE  divide
	RET

// func geluNEON(x *float32, n uintptr, t *[11]float32)
TEXT ·geluNEON(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	MOVD t+16(FP), R2
	WORD $0x4ddfc850 // ld1r {v16.4s}, [x2], #4
	WORD $0x4ddfc851 // ld1r {v17.4s}, [x2], #4
	WORD $0x4ddfc852 // ld1r {v18.4s}, [x2], #4
	WORD $0x4ddfc853 // ld1r {v19.4s}, [x2], #4
	WORD $0x4ddfc854 // ld1r {v20.4s}, [x2], #4
	WORD $0x4ddfc855 // ld1r {v21.4s}, [x2], #4
	WORD $0x4ddfc856 // ld1r {v22.4s}, [x2], #4
	WORD $0x4ddfc857 // ld1r {v23.4s}, [x2], #4
	WORD $0x4ddfc858 // ld1r {v24.4s}, [x2], #4
	WORD $0x4ddfc859 // ld1r {v25.4s}, [x2], #4
	WORD $0x4ddfc85a // ld1r {v26.4s}, [x2], #4
loop:
	WORD $0x3dc00000 // ldr q0, [x0]
	WORD $0x4eb0f401 // fmin v1.4s, v0.4s, v16.4s
	WORD $0x4e31f421 // fmax v1.4s, v1.4s, v17.4s
	WORD $0x6e21dc22 // fmul v2.4s, v1.4s, v1.4s
	WORD $0x6e32dc43 // fmul v3.4s, v2.4s, v18.4s
	WORD $0x4e33d463 // fadd v3.4s, v3.4s, v19.4s
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x4e34d463 // fadd v3.4s, v3.4s, v20.4s
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x4e35d463 // fadd v3.4s, v3.4s, v21.4s
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x4e36d463 // fadd v3.4s, v3.4s, v22.4s
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x4e37d463 // fadd v3.4s, v3.4s, v23.4s
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x4e38d463 // fadd v3.4s, v3.4s, v24.4s
	WORD $0x6e22dc63 // fmul v3.4s, v3.4s, v2.4s
	WORD $0x4e39d463 // fadd v3.4s, v3.4s, v25.4s
	WORD $0x6e21dc63 // fmul v3.4s, v3.4s, v1.4s
	WORD $0x4e3ad463 // fadd v3.4s, v3.4s, v26.4s
	WORD $0x6e20dc63 // fmul v3.4s, v3.4s, v0.4s
	WORD $0x3c810403 // str q3, [x0], #16
	SUBS $4, R1, R1
	BNE  loop
	RET

// func addNormNEON(x, y, gamma, beta *float32, n uintptr, epsilon float32)
TEXT ·addNormNEON(SB), NOSPLIT, $0-44
	MOVD x+0(FP), R0
	MOVD y+8(FP), R1
	MOVD gamma+16(FP), R2
	MOVD beta+24(FP), R3
	MOVD n+32(FP), R4
	FMOVS epsilon+40(FP), F20
	SCVTFS R4, F21
	MOVD R0, R5
	MOVD R4, R6
	WORD $0x4e040694 // dup v20.4s, v20.s[0]
	WORD $0x4e0406b5 // dup v21.4s, v21.s[0]
	WORD $0x4f000400 // movi v0.4s, #0
	WORD $0x4f000404 // movi v4.4s, #0
add:
	WORD $0x3dc000a1 // ldr q1, [x5]
	WORD $0x3cc10422 // ldr q2, [x1], #16
	WORD $0x4e22d421 // fadd v1.4s, v1.4s, v2.4s
	WORD $0x3c8104a1 // str q1, [x5], #16
	WORD $0x4e21d400 // fadd v0.4s, v0.4s, v1.4s
	WORD $0x3dc000a1 // ldr q1, [x5]
	WORD $0x3cc10422 // ldr q2, [x1], #16
	WORD $0x4e22d421 // fadd v1.4s, v1.4s, v2.4s
	WORD $0x3c8104a1 // str q1, [x5], #16
	WORD $0x4e21d484 // fadd v4.4s, v4.4s, v1.4s
	SUBS $8, R6, R6
	BNE  add
	WORD $0x4e24d400 // fadd v0.4s, v0.4s, v4.4s
	WORD $0x6e004004 // ext v4.16b, v0.16b, v0.16b, #8
	WORD $0x4e24d400 // fadd v0.4s, v0.4s, v4.4s
	WORD $0x6e20d400 // faddp v0.4s, v0.4s, v0.4s
	WORD $0x6e35fc03 // fdiv v3.4s, v0.4s, v21.4s
	WORD $0x4f000400 // movi v0.4s, #0
	WORD $0x4f000404 // movi v4.4s, #0
	MOVD R0, R5
	MOVD R4, R6
square:
	WORD $0x3dc000a1 // ldr q1, [x5]
	WORD $0x4ea3d421 // fsub v1.4s, v1.4s, v3.4s
	WORD $0x3c8104a1 // str q1, [x5], #16
	WORD $0x6e21dc21 // fmul v1.4s, v1.4s, v1.4s
	WORD $0x4e21d400 // fadd v0.4s, v0.4s, v1.4s
	WORD $0x3dc000a1 // ldr q1, [x5]
	WORD $0x4ea3d421 // fsub v1.4s, v1.4s, v3.4s
	WORD $0x3c8104a1 // str q1, [x5], #16
	WORD $0x6e21dc21 // fmul v1.4s, v1.4s, v1.4s
	WORD $0x4e21d484 // fadd v4.4s, v4.4s, v1.4s
	SUBS $8, R6, R6
	BNE  square
	WORD $0x4e24d400 // fadd v0.4s, v0.4s, v4.4s
	WORD $0x6e004004 // ext v4.16b, v0.16b, v0.16b, #8
	WORD $0x4e24d400 // fadd v0.4s, v0.4s, v4.4s
	WORD $0x6e20d400 // faddp v0.4s, v0.4s, v0.4s
	WORD $0x6e35fc00 // fdiv v0.4s, v0.4s, v21.4s
	WORD $0x4e34d400 // fadd v0.4s, v0.4s, v20.4s
	WORD $0x6ea1f800 // fsqrt v0.4s, v0.4s
	WORD $0x4f03f601 // fmov v1.4s, #1.0
	WORD $0x6e20fc20 // fdiv v0.4s, v1.4s, v0.4s
norm:
	WORD $0x3dc00001 // ldr q1, [x0]
	WORD $0x6e20dc21 // fmul v1.4s, v1.4s, v0.4s
	WORD $0x3cc10442 // ldr q2, [x2], #16
	WORD $0x3cc10463 // ldr q3, [x3], #16
	WORD $0x6e22dc21 // fmul v1.4s, v1.4s, v2.4s
	WORD $0x4e23d421 // fadd v1.4s, v1.4s, v3.4s
	WORD $0x3c810401 // str q1, [x0], #16
	SUBS $4, R4, R4
	BNE  norm
	RET

// func quantizeNEON(q *int8, steps *groupStep, x *float32, n uintptr)
TEXT ·quantizeNEON(SB), NOSPLIT, $0-32
	MOVD q+0(FP), R0
	MOVD steps+8(FP), R2
	MOVD x+16(FP), R1
	MOVD n+24(FP), R3
	FMOVS $127.0, F20
	FMOVS $1e-30, F21
	FMOVS $0.007874015748031496, F22 // 1/127
next:
	WORD $0xacc10420 // ldp q0, q1, [x1], #32
	WORD $0xacc10c22 // ldp q2, q3, [x1], #32
	WORD $0xacc11424 // ldp q4, q5, [x1], #32
	WORD $0xacc11c26 // ldp q6, q7, [x1], #32
	WORD $0x4ea0f808 // fabs v8.4s, v0.4s
	WORD $0x4ea0f829 // fabs v9.4s, v1.4s
	WORD $0x4ea0f84a // fabs v10.4s, v2.4s
	WORD $0x4ea0f86b // fabs v11.4s, v3.4s
	WORD $0x4ea0f88c // fabs v12.4s, v4.4s
	WORD $0x4ea0f8ad // fabs v13.4s, v5.4s
	WORD $0x4ea0f8ce // fabs v14.4s, v6.4s
	WORD $0x4ea0f8ef // fabs v15.4s, v7.4s
	WORD $0x4e2cf508 // fmax v8.4s, v8.4s, v12.4s
	WORD $0x4e2df529 // fmax v9.4s, v9.4s, v13.4s
	WORD $0x4e2ef54a // fmax v10.4s, v10.4s, v14.4s
	WORD $0x4e2ff56b // fmax v11.4s, v11.4s, v15.4s
	WORD $0x4e2af508 // fmax v8.4s, v8.4s, v10.4s
	WORD $0x4e2bf529 // fmax v9.4s, v9.4s, v11.4s
	WORD $0x4e29f508 // fmax v8.4s, v8.4s, v9.4s
	WORD $0x6e30f908 // fmaxv s8, v8.4s
	WORD $0x1e360909 // fmul s9, s8, s22
	WORD $0xbd000049 // str s9, [x2]
	WORD $0x1e354908 // fmax s8, s8, s21
	WORD $0x1e281a88 // fdiv s8, s20, s8
	WORD $0x4f889000 // fmul v0.4s, v0.4s, v8.s[0]
	WORD $0x4f889021 // fmul v1.4s, v1.4s, v8.s[0]
	WORD $0x4f889042 // fmul v2.4s, v2.4s, v8.s[0]
	WORD $0x4f889063 // fmul v3.4s, v3.4s, v8.s[0]
	WORD $0x4f889084 // fmul v4.4s, v4.4s, v8.s[0]
	WORD $0x4f8890a5 // fmul v5.4s, v5.4s, v8.s[0]
	WORD $0x4f8890c6 // fmul v6.4s, v6.4s, v8.s[0]
	WORD $0x4f8890e7 // fmul v7.4s, v7.4s, v8.s[0]
	WORD $0x4e21a800 // fcvtns v0.4s, v0.4s
	WORD $0x4e21a821 // fcvtns v1.4s, v1.4s
	WORD $0x4e21a842 // fcvtns v2.4s, v2.4s
	WORD $0x4e21a863 // fcvtns v3.4s, v3.4s
	WORD $0x4e21a884 // fcvtns v4.4s, v4.4s
	WORD $0x4e21a8a5 // fcvtns v5.4s, v5.4s
	WORD $0x4e21a8c6 // fcvtns v6.4s, v6.4s
	WORD $0x4e21a8e7 // fcvtns v7.4s, v7.4s
	WORD $0x4ea18408 // add v8.4s, v0.4s, v1.4s
	WORD $0x4ea38449 // add v9.4s, v2.4s, v3.4s
	WORD $0x4ea5848a // add v10.4s, v4.4s, v5.4s
	WORD $0x4ea784cb // add v11.4s, v6.4s, v7.4s
	WORD $0x4ea98508 // add v8.4s, v8.4s, v9.4s
	WORD $0x4eab854a // add v10.4s, v10.4s, v11.4s
	WORD $0x4eaa8508 // add v8.4s, v8.4s, v10.4s
	WORD $0x4eb1b908 // addv s8, v8.4s
	WORD $0x6ea0b908 // neg v8.4s, v8.4s
	WORD $0x4f275508 // shl v8.4s, v8.4s, #7; times weightShift
	WORD $0xbd000448 // str s8, [x2, #4]
	WORD $0x0e614800 // sqxtn v0.4h, v0.4s
	WORD $0x4e614820 // sqxtn2 v0.8h, v1.4s
	WORD $0x0e614842 // sqxtn v2.4h, v2.4s
	WORD $0x4e614862 // sqxtn2 v2.8h, v3.4s
	WORD $0x0e214800 // sqxtn v0.8b, v0.8h
	WORD $0x4e214840 // sqxtn2 v0.16b, v2.8h
	WORD $0x3c810400 // str q0, [x0], #16
	WORD $0x0e614884 // sqxtn v4.4h, v4.4s
	WORD $0x4e6148a4 // sqxtn2 v4.8h, v5.4s
	WORD $0x0e6148c6 // sqxtn v6.4h, v6.4s
	WORD $0x4e6148e6 // sqxtn2 v6.8h, v7.4s
	WORD $0x0e214884 // sqxtn v4.8b, v4.8h
	WORD $0x4e2148c4 // sqxtn2 v4.16b, v6.8h
	WORD $0x3c810404 // str q4, [x0], #16
	ADD  $8, R2, R2
	SUBS $32, R3, R3
	BNE  next
	RET
