/* Probed calls that are left by an exception or by the end of their thread: the unwinder asks the trampoline's frame
 * (c-shim/probe) what is to be done, as it asks each frame. The call is recorded, and the unwinder goes on. */
#include <stdatomic.h>
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

/* What is asked of an unwinder. */
typedef uintptr_t asks_register(void *frame, int number);
typedef uintptr_t asks_instruction(void *frame);
struct unwinder {
    asks_register *value;
    asks_instruction *instruction;
};

#ifdef IOTA_PRELOAD
OURS void *iota_library_find(const void *beside, const char *name);

/* A process may have several unwinders, some of them loaded later; each is looked for where it calls. */
static struct unwinder find(void *caller)
{
    return (struct unwinder){iota_library_find(caller, "_Unwind_GetGR"), iota_library_find(caller, "_Unwind_GetIP")};
}
#else
extern __attribute__((weak)) asks_register _Unwind_GetGR;
extern __attribute__((weak)) asks_instruction _Unwind_GetIP;

static struct unwinder find(void *caller)
{
    (void)caller;
    return (struct unwinder){_Unwind_GetGR, _Unwind_GetIP};
}
#endif

/* Those found before, by where they called. An entry never changes. */
static struct {
    _Atomic uintptr_t caller;
    struct unwinder found;
} known[8];
enum { TAKEN = 1 };

static struct unwinder unwinder_of(void *caller)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uintptr_t expected = 0;
        if (atomic_load_explicit(&known[i].caller, memory_order_acquire) == (uintptr_t)caller)
            return known[i].found;
        if (!atomic_compare_exchange_strong(&known[i].caller, &expected, TAKEN))
            continue;
        known[i].found = find(caller);
        atomic_store_explicit(&known[i].caller, (uintptr_t)caller, memory_order_release);
        return known[i].found;
    }
    return find(caller);
}

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
        struct unwinder unwinder = unwinder_of(__builtin_return_address(0));
        if (unwinder.value && unwinder.instruction)
            leave(unwinder.value(frame, FRAME), unwinder.instruction(frame));
    }
    return GO_ON;
}
