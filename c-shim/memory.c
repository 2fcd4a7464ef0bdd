/* Copies and comparisons of the tracer's own. Those of the C library are the program's: a sanitizer that stands in their
 * place takes what the tracer's threads hand each other for a data race of the program. */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t pair __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t word __attribute__((aligned(1), may_alias));

/* Compilers make a call of memcpy out of a loop that copies. */
#define KEEP_LOOP __asm__ volatile("" ::: "memory")

/* The ends of up to 32 bytes overlap in the middle; all is read before anything is written. */
static void move_few(unsigned char *to, const unsigned char *from, size_t n)
{
    if (n >= 16) {
        pair first = *(const pair *)from, last = *(const pair *)(from + n - 16);
        *(pair *)to = first;
        *(pair *)(to + n - 16) = last;
    } else if (n >= 8) {
        word first = *(const word *)from, last = *(const word *)(from + n - 8);
        *(word *)to = first;
        *(word *)(to + n - 8) = last;
    } else if (n > 0) {
        unsigned char bytes[8];
        for (size_t i = 0; i < n; i++) {
            bytes[i] = from[i];
            KEEP_LOOP;
        }
        for (size_t i = 0; i < n; i++) {
            to[i] = bytes[i];
            KEEP_LOOP;
        }
    }
}

void *memmove(void *to_start, const void *from_start, size_t n)
{
    unsigned char *to = to_start;
    const unsigned char *from = from_start;
    if (n <= 32) {
        move_few(to, from, n);
    } else if ((uintptr_t)to - (uintptr_t)from >= n) {
        pair last = *(const pair *)(from + n - 16);
        for (size_t i = 0; i < n - 16; i += 16) {
            *(pair *)(to + i) = *(const pair *)(from + i);
            KEEP_LOOP;
        }
        *(pair *)(to + n - 16) = last;
    } else {
        pair first = *(const pair *)from;
        for (size_t i = n; i > 16; i -= 16) {
            *(pair *)(to + i - 16) = *(const pair *)(from + i - 16);
            KEEP_LOOP;
        }
        *(pair *)to = first;
    }
    return to_start;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    return memmove(to, from, n);
}

void *memset(void *start, int value, size_t n)
{
    unsigned char *to = start;
    uint64_t all = (unsigned char)value * UINT64_C(0x0101010101010101);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        *(pair *)(to + i) = (pair){all, all};
        KEEP_LOOP;
    }
    for (; i < n; i++) {
        to[i] = (unsigned char)value;
        KEEP_LOOP;
    }
    return start;
}

int memcmp(const void *one, const void *other, size_t n)
{
    const unsigned char *a = one, *b = other;
    size_t i = 0;
    while (i + 8 <= n && *(const word *)(a + i) == *(const word *)(b + i))
        i += 8;
    for (; i < n; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
        KEEP_LOOP;
    }
    return 0;
}

int bcmp(const void *one, const void *other, size_t n)
{
    return memcmp(one, other, n);
}

/* Whole words, which lie in the pages of the text, although some bytes of the first and the last one do not belong to it. */
size_t strlen(const char *text)
{
    uintptr_t before = (uintptr_t)text % 8;
    const char *at = text - before;
    uint64_t bytes = *(const word *)at | ((UINT64_C(1) << before * 8) - 1);
    uint64_t zeros;
    while ((zeros = (bytes - UINT64_C(0x0101010101010101)) & ~bytes & UINT64_C(0x8080808080808080)) == 0) {
        at += 8;
        bytes = *(const word *)at;
    }
    return (size_t)(at - text) + (size_t)__builtin_ctzll(zeros) / 8;
}
