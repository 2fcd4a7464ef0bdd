/* Stands before a probed function (crates/runtime/src/probe): keeps what a call may pass in registers, has its start noted,
 * makes the call with a copy of the arguments on the stack, has its end noted, and returns what the function returned.
 *
 * The frame is one that unwinders know: exceptions, longjmp, cancellation and backtraces pass. If an exception or the end of
 * the thread leaves it, c-shim/left.c notes that. Functions that have arguments in SVE's registers have no probe. */

/* Below x29: x0-x8, q0-q7, the tracer's notes (struct Probed, the function's address first). */
#define GENERAL -80
#define VECTORS -208
#define NOTES -336
#define FRAME 336
#define FIRST -2

    .text

.macro restore_vectors
    ldp q0, q1, [x29, #VECTORS]
    ldp q2, q3, [x29, #VECTORS + 32]
    ldp q4, q5, [x29, #VECTORS + 64]
    ldp q6, q7, [x29, #VECTORS + 96]
.endm

.macro restore_general
    ldp x0, x1, [x29, #GENERAL]
    ldp x2, x3, [x29, #GENERAL + 16]
    ldp x4, x5, [x29, #GENERAL + 32]
    ldp x6, x7, [x29, #GENERAL + 48]
    ldr x8, [x29, #GENERAL + 64]
.endm

/* w16: which stub. */
    .globl iota_probe_call
    .protected iota_probe_call
    .type iota_probe_call, %function
    .balign 64
iota_probe_call:
    .cfi_startproc
    .cfi_personality 0x1b, iota_probe_personality
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset 29, -16
    .cfi_offset 30, -8
    mov x29, sp
    .cfi_def_cfa_register 29
    sub sp, sp, #FRAME
    stp x0, x1, [x29, #GENERAL]
    stp x2, x3, [x29, #GENERAL + 16]
    stp x4, x5, [x29, #GENERAL + 32]
    stp x6, x7, [x29, #GENERAL + 48]
    str x8, [x29, #GENERAL + 64]
    stp q0, q1, [x29, #VECTORS]
    stp q2, q3, [x29, #VECTORS + 32]
    stp q4, q5, [x29, #VECTORS + 64]
    stp q6, q7, [x29, #VECTORS + 96]
    sub x0, x29, #-NOTES
    mov w1, w16
    add x2, x29, #16
    bl iota_probe_begin
    cmn x0, #-FIRST
    b.ne 1f
    sub x0, x29, #-NOTES
    add x1, x29, #16
    bl iota_probe_begin_first
1:  mov x17, x0
    restore_vectors
    tbnz x17, #63, .Luntraced
    add x9, x17, #15
    and x9, x9, #~15
    sub sp, sp, x9
    add x9, x29, #16
    mov x10, sp
    b 3f
2:  ldr x11, [x9], #8
    str x11, [x10], #8
    sub x17, x17, #8
3:  cbnz x17, 2b
    restore_general
    sub x16, x29, #-NOTES
    ldr x16, [x16]
    blr x16
.Lreturned:
    stp x0, x1, [x29, #GENERAL]
    stp q0, q1, [x29, #VECTORS]
    stp q2, q3, [x29, #VECTORS + 32]
    mov x1, x0
    sub x0, x29, #-NOTES
    bl iota_probe_end
    ldp x0, x1, [x29, #GENERAL]
    ldp q0, q1, [x29, #VECTORS]
    ldp q2, q3, [x29, #VECTORS + 32]
    mov sp, x29
    .cfi_remember_state
    .cfi_def_cfa 31, 16
    ldp x29, x30, [sp], #16
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    ret
    .cfi_restore_state

.Luntraced:
    restore_general
    sub x16, x29, #-NOTES
    ldr x16, [x16]
    mov sp, x29
    .cfi_def_cfa 31, 16
    ldp x29, x30, [sp], #16
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    br x16
    .cfi_endproc
    .size iota_probe_call, . - iota_probe_call

#ifdef IOTA_PRELOAD
/* The same for a function whose first instruction leads here (crates/runtime/src/probe/patches.rs). Calls inside a program
 * need not keep to C's conventions: a compiler that has seen the function relies on whatever registers it leaves alone, but
 * for x16 and x17, which every call may change. */

/* Below x29: x0-x15, x18, the flags, q0-q31, the tracer's notes. */
#define INNER_GENERAL -160
#define INNER_VECTORS -672
#define INNER_NOTES -800
#define INNER_FRAME 800

.macro save_all
    stp x0, x1, [x29, #INNER_GENERAL]
    stp x2, x3, [x29, #INNER_GENERAL + 16]
    stp x4, x5, [x29, #INNER_GENERAL + 32]
    stp x6, x7, [x29, #INNER_GENERAL + 48]
    stp x8, x9, [x29, #INNER_GENERAL + 64]
    stp x10, x11, [x29, #INNER_GENERAL + 80]
    stp x12, x13, [x29, #INNER_GENERAL + 96]
    stp x14, x15, [x29, #INNER_GENERAL + 112]
    mrs x17, nzcv
    stp x18, x17, [x29, #INNER_GENERAL + 128]
    sub x17, x29, #-INNER_VECTORS
    .set at, 0
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    str q\n, [x17, #at]
    .set at, at + 16
    .endr
.endm

.macro restore_all
    sub x17, x29, #-INNER_VECTORS
    .set at, 0
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    ldr q\n, [x17, #at]
    .set at, at + 16
    .endr
    ldp x18, x17, [x29, #INNER_GENERAL + 128]
    msr nzcv, x17
    ldp x0, x1, [x29, #INNER_GENERAL]
    ldp x2, x3, [x29, #INNER_GENERAL + 16]
    ldp x4, x5, [x29, #INNER_GENERAL + 32]
    ldp x6, x7, [x29, #INNER_GENERAL + 48]
    ldp x8, x9, [x29, #INNER_GENERAL + 64]
    ldp x10, x11, [x29, #INNER_GENERAL + 80]
    ldp x12, x13, [x29, #INNER_GENERAL + 96]
    ldp x14, x15, [x29, #INNER_GENERAL + 112]
.endm

/* w16: which function. */
    .globl iota_probe_inner
    .hidden iota_probe_inner
    .type iota_probe_inner, %function
    .balign 64
iota_probe_inner:
    .cfi_startproc
    .cfi_personality 0x1b, iota_probe_personality
    hint #34
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset 29, -16
    .cfi_offset 30, -8
    mov x29, sp
    .cfi_def_cfa_register 29
    sub sp, sp, #INNER_FRAME
    save_all
    sub x0, x29, #-INNER_NOTES
    mov w1, w16
    add x2, x29, #16
    bl iota_probe_begin
    cmn x0, #-FIRST
    b.ne 1f
    sub x0, x29, #-INNER_NOTES
    add x1, x29, #16
    bl iota_probe_begin_first
1:  tbnz x0, #63, .Luntraced_inner
    add x9, x0, #15
    and x9, x9, #~15
    sub sp, sp, x9
    add x9, x29, #16
    mov x10, sp
    b 3f
2:  ldr x11, [x9], #8
    str x11, [x10], #8
    sub x0, x0, #8
3:  cbnz x0, 2b
    restore_all
    sub x16, x29, #-INNER_NOTES
    ldr x16, [x16]
    blr x16
.Lreturned_inner:
    save_all
    mov x1, x0
    sub x0, x29, #-INNER_NOTES
    bl iota_probe_end
    restore_all
    mov sp, x29
    .cfi_remember_state
    .cfi_def_cfa 31, 16
    ldp x29, x30, [sp], #16
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    ret
    .cfi_restore_state

.Luntraced_inner:
    restore_all
    sub x16, x29, #-INNER_NOTES
    ldr x16, [x16]
    mov sp, x29
    .cfi_def_cfa 31, 16
    ldp x29, x30, [sp], #16
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    br x16
    .cfi_endproc
    .size iota_probe_inner, . - iota_probe_inner

/* Where slots lead to: one stub for each number. */
    .globl iota_probe_stubs
    .hidden iota_probe_stubs
    .type iota_probe_stubs, %function
    .balign 16
iota_probe_stubs:
    .cfi_startproc
    .set number, 0
    .rept 4096
    hint #34 /* bti c */
    mov w16, #number
    b iota_probe_call
    nop
    .set number, number + 1
    .endr
    .cfi_endproc
    .size iota_probe_stubs, . - iota_probe_stubs

/* Where slots of the dynamic linker's functions lead to (crates/runtime/src/probe/later.rs): what is to be done is done
 * before, and the function finds its arguments and its caller as they were. */
    .globl iota_probe_asking
    .hidden iota_probe_asking
    .type iota_probe_asking, %function
    .balign 16
iota_probe_asking:
    .cfi_startproc
    .irp number, 0, 1, 2
    hint #34
    mov w3, #\number
    b iota_probe_ask
    nop
    .endr
iota_probe_ask:
    stp x0, x1, [sp, #-32]!
    .cfi_def_cfa_offset 32
    stp x2, x30, [sp, #16]
    .cfi_offset 30, -8
    bl iota_probe_asked
    mov x16, x0
    ldp x2, x30, [sp, #16]
    .cfi_restore 30
    ldp x0, x1, [sp], #32
    .cfi_def_cfa_offset 0
    br x16
    .cfi_endproc
    .size iota_probe_asking, . - iota_probe_asking
#endif

/* For c-shim/left.c: where the functions return to, and how far below x29 the notes are. */
    .section .rodata
    .globl iota_probe_trampolines
    .hidden iota_probe_trampolines
    .type iota_probe_trampolines, %object
    .balign 4
iota_probe_trampolines:
    .long .Lreturned - ., -(NOTES)
#ifdef IOTA_PRELOAD
    .long .Lreturned_inner - ., -(INNER_NOTES)
#endif
    .long 0, 0
    .size iota_probe_trampolines, . - iota_probe_trampolines

    .section .note.GNU-stack, "", %progbits
