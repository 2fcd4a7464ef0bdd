/* Probed calls that are left by an exception or by the end of their thread: the unwinder asks the trampoline's frame
 * (c-shim/probe) what is to be done, as it asks each frame. The call is recorded, and the unwinder goes on. */
#include <stddef.h>
#include <stdint.h>

#define OURS __attribute__((visibility("hidden")))

/* Numbers of the unwinder's interface. */
enum { VERSION = 1, IS_CLEANUP = 2, GO_ON = 8 };

/* DWARF's number of the register that holds the frame's address in a trampoline. */
#ifdef __x86_64__
enum { FRAME = 6 };
#else
enum { FRAME = 29 };
#endif

/* A trampoline: where the probed function returns to, and how far below that address the tracer's notes are. */
struct trampoline {
    int32_t returns, notes;
};
extern OURS const struct trampoline iota_probe_trampolines[];
OURS void iota_probe_end(void *notes, int64_t ret);
OURS int iota_probe_personality(int version, int actions, uint64_t class, void *exception, void *frame);

/* The function of this name in the object in which `code` is; null without one. It takes no lock that a thread holds while
 * it loads a library. */
OURS void *iota_probe_beside(const void *code, const char *name);

/* What is asked of an unwinder. */
typedef uintptr_t asks_register(void *frame, int number);
typedef uintptr_t asks_instruction(void *frame);

/* A process may have several unwinders, whose frames differ. One whose functions are hidden is not asked. */
#ifdef IOTA_PRELOAD
#define BESIDE(code, name) iota_probe_beside(code, #name)
#else
OURS int iota_probe_are_together(const void *one, const void *other);
extern __attribute__((weak)) asks_register _Unwind_GetGR;
extern __attribute__((weak)) asks_instruction _Unwind_GetIP;
/* The program's own may have no name in its file any more. */
#define BESIDE(code, name) \
    (name && iota_probe_are_together(code, (const void *)name) ? (void *)name : iota_probe_beside(code, #name))
#endif

/* An asynchronous cancellation may come before the call began or when it has ended; then its frame is elsewhere. */
static void leave(uintptr_t address, uintptr_t instruction)
{
    for (const struct trampoline *each = iota_probe_trampolines; each->notes != 0; each++)
        if ((uintptr_t)&each->returns + (uintptr_t)(intptr_t)each->returns == instruction)
            iota_probe_end((void *)(address - (uintptr_t)each->notes), -1);
}

int iota_probe_personality(int version, int actions, uint64_t class, void *exception, void *frame)
{
    (void)class, (void)exception;
    if (version == VERSION && (actions & IS_CLEANUP) != 0) {
        const void *unwinder = __builtin_return_address(0);
        asks_register *value = (asks_register *)BESIDE(unwinder, _Unwind_GetGR);
        asks_instruction *instruction = (asks_instruction *)BESIDE(unwinder, _Unwind_GetIP);
        if (value && instruction)
            leave(value(frame, FRAME), instruction(frame));
    }
    return GO_ON;
}
