/* Stands before a probed function (crates/runtime/src/probe): keeps what a call may pass in registers, has its start noted,
 * makes the call with a copy of the arguments on the stack, has its end noted, and returns what the function returned.
 *
 * The frame is one that unwinders know: exceptions, longjmp, cancellation and backtraces pass. If an exception or the end of
 * the thread leaves it, c-shim/left.c notes that.
 *
 * The tracer is compiled without AVX: its instructions leave the upper parts of vectors alone, so that the lower ones are
 * kept, but for what may happen at a thread's first call. If it is compiled with AVX, all parts are kept each time. */

/* Below %rbp: general registers, vectors, the tracer's notes (struct Probed, the function's address first). */
#define GENERAL(n) (-8 * (n))(%rbp)
#define VECTOR(n) (-64 - 16 * (n))(%rbp)
#define NOTES -320
#define FRAME 320
#define FIRST -2

#if defined(IOTA_AVX) || defined(__AVX__)
#define IS_WIDE 1
#else
#define IS_WIDE 0
#endif

    .text

/* Calls `function` with the parts of xmm0-7 kept that are in use: %rsp is a multiple of 16. */
.macro call_keeping_vectors function
    mov %rdx, %r8
    sub $576, %rsp
    mov iota_probe_parts(%rip), %eax
    test %eax, %eax
    jns 2f
    mov $1, %ecx
    xgetbv
2:  mov %eax, 560(%rsp)
    mov %r8, %rdx
    testb $0x40, 560(%rsp)
    jnz 3f
    testb $4, 560(%rsp)
    jnz 4f
    call \function
    jmp 9f
3:  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    vmovdqu64 %zmm\n, (64 * \n)(%rsp)
    .endr
    call \function
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    vmovdqu64 (64 * \n)(%rsp), %zmm\n
    .endr
    jmp 9f
4:  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    vmovdqu %ymm\n, (32 * \n)(%rsp)
    .endr
    call \function
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    vmovdqu (32 * \n)(%rsp), %ymm\n
    .endr
9:  add $576, %rsp
.endm

.macro note function
    .if IS_WIDE
    call_keeping_vectors \function
    .else
    call \function
    .endif
.endm

/* %r11d: which stub. */
    .globl iota_probe_call
    .protected iota_probe_call
    .type iota_probe_call, @function
    .balign 64
iota_probe_call:
    .cfi_startproc
    .cfi_personality 0x1b, iota_probe_personality
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $FRAME, %rsp
    mov %rdi, GENERAL(1)
    mov %rsi, GENERAL(2)
    mov %rdx, GENERAL(3)
    mov %rcx, GENERAL(4)
    mov %r8, GENERAL(5)
    mov %r9, GENERAL(6)
    mov %rax, GENERAL(7)
    mov %r10, GENERAL(8)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movups %xmm\n, (-80 - 16 * \n)(%rbp)
    .endr
    lea NOTES(%rbp), %rdi
    mov %r11d, %esi
    lea 16(%rbp), %rdx
    note iota_probe_begin
    cmp $FIRST, %rax
    je .Lfirst
.Lbegun:
    mov %rax, %r11
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movups (-80 - 16 * \n)(%rbp), %xmm\n
    .endr
    test %r11, %r11
    js .Luntraced
    /* A vector or structure among the arguments may want a multiple of 64, as it has it there. */
    lea 16(%rbp), %rsi
    mov %esi, %edi
    and $63, %edi
    sub %r11, %rsp
    sub $64, %rsp
    and $-64, %rsp
    add %rdi, %rsp
    mov %rsp, %rdi
    mov %r11, %rcx
    shr $3, %rcx
    rep movsq
    mov GENERAL(1), %rdi
    mov GENERAL(2), %rsi
    mov GENERAL(3), %rdx
    mov GENERAL(4), %rcx
    mov GENERAL(5), %r8
    mov GENERAL(6), %r9
    mov GENERAL(7), %rax
    mov GENERAL(8), %r10
    call *NOTES(%rbp)
.Lreturned:
    mov %rax, GENERAL(1)
    mov %rdx, GENERAL(2)
    movups %xmm0, -80(%rbp)
    movups %xmm1, -96(%rbp)
    lea NOTES(%rbp), %rdi
    mov %rax, %rsi
    note iota_probe_end
    mov GENERAL(1), %rax
    mov GENERAL(2), %rdx
    movups -80(%rbp), %xmm0
    movups -96(%rbp), %xmm1
    leave
    .cfi_remember_state
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_restore_state

.Lfirst:
    lea NOTES(%rbp), %rdi
    lea 16(%rbp), %rsi
    call_keeping_vectors iota_probe_begin_first
    jmp .Lbegun

.Luntraced:
    mov GENERAL(1), %rdi
    mov GENERAL(2), %rsi
    mov GENERAL(3), %rdx
    mov GENERAL(4), %rcx
    mov GENERAL(5), %r8
    mov GENERAL(6), %r9
    mov GENERAL(7), %rax
    mov GENERAL(8), %r10
    mov NOTES(%rbp), %r11
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size iota_probe_call, . - iota_probe_call

#ifdef IOTA_PRELOAD
/* The same for a function whose first instructions lead here (crates/runtime/src/probe/patches.rs), with its number on the
 * stack. Calls inside a program need not keep to C's conventions: a compiler that has seen the function relies on whatever
 * registers it leaves alone, and on a stack that is only a multiple of 8. So all that the tracer may change is kept, before
 * the call and behind it. */

/* Below %rbp: general registers, flags, vectors, the tracer's notes. */
#define FLAGS -80
#define SCRATCH -88
#define INNER_NOTES -480
#define INNER_FRAME 480
/* XSAVE's area: vectors of every width and masks, 2,688 bytes; its header is cleared before. */
#define STATES 0xe6
#define STATES_SIZE 2752

.macro save_all
    mov %rdi, GENERAL(1)
    mov %rsi, GENERAL(2)
    mov %rdx, GENERAL(3)
    mov %rcx, GENERAL(4)
    mov %r8, GENERAL(5)
    mov %r9, GENERAL(6)
    mov %rax, GENERAL(7)
    mov %r10, GENERAL(8)
    mov %r11, GENERAL(9)
    lahf
    seto %al
    mov %rax, FLAGS(%rbp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups %xmm\n, (-112 - 16 * \n)(%rbp)
    .endr
.endm

.macro restore_all
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups (-112 - 16 * \n)(%rbp), %xmm\n
    .endr
    mov FLAGS(%rbp), %rax
    add $0x7f, %al
    sahf
    mov GENERAL(1), %rdi
    mov GENERAL(2), %rsi
    mov GENERAL(3), %rdx
    mov GENERAL(4), %rcx
    mov GENERAL(5), %r8
    mov GENERAL(6), %r9
    mov GENERAL(7), %rax
    mov GENERAL(8), %r10
    mov GENERAL(9), %r11
.endm

.macro align_frame
    lea -INNER_FRAME(%rbp), %rsp
    and $-16, %rsp
.endm

/* Calls `function` with all parts of all vectors kept. */
.macro call_keeping_states function
    cmpl $0, iota_probe_parts(%rip)
    je 4f
    sub $STATES_SIZE, %rsp
    and $-64, %rsp
    .irp n, 0, 8, 16, 24, 32, 40, 48, 56
    movq $0, (512 + \n)(%rsp)
    .endr
    mov %rdx, SCRATCH(%rbp)
    xor %edx, %edx
    mov $STATES, %eax
    xsave64 (%rsp)
    mov SCRATCH(%rbp), %rdx
    call \function
    mov %rax, SCRATCH(%rbp)
    xor %edx, %edx
    mov $STATES, %eax
    xrstor64 (%rsp)
    mov SCRATCH(%rbp), %rax
    align_frame
    jmp 5f
4:  call \function
5:
.endm

.macro note_keeping function
    .if IS_WIDE
    call_keeping_states \function
    .else
    call \function
    .endif
.endm

    .globl iota_probe_inner
    .hidden iota_probe_inner
    .type iota_probe_inner, @function
    .balign 64
iota_probe_inner:
    .cfi_startproc
    .cfi_personality 0x1b, iota_probe_personality
    .cfi_def_cfa_offset 16
    endbr64
    push %rbp
    .cfi_def_cfa_offset 24
    .cfi_offset %rbp, -24
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    lea -INNER_FRAME(%rbp), %rsp
    save_all
    align_frame
    lea INNER_NOTES(%rbp), %rdi
    mov 8(%rbp), %esi
    lea 24(%rbp), %rdx
    note_keeping iota_probe_begin
    cmp $FIRST, %rax
    je .Lfirst_inner
.Lbegun_inner:
    test %rax, %rax
    js .Luntraced_inner
    mov %rax, %rcx
    lea 24(%rbp), %rsi
    mov %esi, %edi
    and $63, %edi
    sub %rcx, %rsp
    sub $64, %rsp
    and $-64, %rsp
    add %rdi, %rsp
    mov %rsp, %rdi
    shr $3, %rcx
    rep movsq
    restore_all
    call *INNER_NOTES(%rbp)
.Lreturned_inner:
    save_all
    align_frame
    lea INNER_NOTES(%rbp), %rdi
    mov GENERAL(7), %rsi
    note_keeping iota_probe_end
    restore_all
    leave
    .cfi_remember_state
    .cfi_def_cfa %rsp, 16
    .cfi_restore %rbp
    lea 8(%rsp), %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_restore_state

.Lfirst_inner:
    lea INNER_NOTES(%rbp), %rdi
    lea 24(%rbp), %rsi
    call_keeping_states iota_probe_begin_first
    jmp .Lbegun_inner

    /* No signal handler writes as near below the stack as the address is then. */
.Luntraced_inner:
    mov INNER_NOTES(%rbp), %rax
    mov %rax, 8(%rbp)
    restore_all
    leave
    .cfi_def_cfa %rsp, 16
    .cfi_restore %rbp
    lea 8(%rsp), %rsp
    .cfi_def_cfa_offset 8
    jmp *-8(%rsp)
    .cfi_endproc
    .size iota_probe_inner, . - iota_probe_inner

/* Where slots lead to: one stub for each number. */
    .globl iota_probe_stubs
    .hidden iota_probe_stubs
    .type iota_probe_stubs, @function
    .balign 16
iota_probe_stubs:
    .cfi_startproc
    .set number, 0
    .rept 4096
    endbr64
    mov $number, %r11d
    jmp iota_probe_call
    .balign 16, 0x90
    .set number, number + 1
    .endr
    .cfi_endproc
    .size iota_probe_stubs, . - iota_probe_stubs

/* Where slots of the dynamic linker's functions lead to (crates/runtime/src/probe/later.rs): what is to be done is done
 * before, and the function finds its arguments and its caller as they were. */
    .globl iota_probe_asking
    .hidden iota_probe_asking
    .type iota_probe_asking, @function
    .balign 16
iota_probe_asking:
    .cfi_startproc
    .irp number, 0, 1, 2
    endbr64
    mov $\number, %ecx
    jmp iota_probe_ask
    .balign 16, 0x90
    .endr
iota_probe_ask:
    push %rdi
    .cfi_adjust_cfa_offset 8
    push %rsi
    .cfi_adjust_cfa_offset 8
    push %rdx
    .cfi_adjust_cfa_offset 8
    call iota_probe_asked
    pop %rdx
    .cfi_adjust_cfa_offset -8
    pop %rsi
    .cfi_adjust_cfa_offset -8
    pop %rdi
    .cfi_adjust_cfa_offset -8
    jmp *%rax
    .cfi_endproc
    .size iota_probe_asking, . - iota_probe_asking
#endif

/* For c-shim/left.c: where the functions return to, and how far below %rbp the notes are. */
    .section .rodata
    .globl iota_probe_trampolines
    .hidden iota_probe_trampolines
    .type iota_probe_trampolines, @object
    .balign 4
iota_probe_trampolines:
    .long .Lreturned - ., -(NOTES)
#ifdef IOTA_PRELOAD
    .long .Lreturned_inner - ., -(INNER_NOTES)
#endif
    .long 0, 0
    .size iota_probe_trampolines, . - iota_probe_trampolines

    .section .note.GNU-stack, "", @progbits
