/* Calls functions of every kind of a library, and says what they return: the same with probes as without. */
#include "program.h"
#include "probed.h"
#include <execinfo.h>

static void numbers(void)
{
    say("ints %ld\n", p_ints(1, 2, 3, 4, 5, 6, 7, 8, 9));
    say("doubles %.1f\n", p_doubles(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    say("variadic %.2f\n", p_variadic(12, 1, 2.5, 3, 4.5, 5, 6.5, 7, 8.5, 9, 10.5, 11, 12.25));
    char text[300];
    say("printed %d", p_prints(text, sizeof text, "%s %d %g %g %Lg %ld", "some", 7, 1.5, 2.25, 3.125L, 1L << 40));
    say(" %s\n", text);
    say("long double %Lf\n", p_long_double(1.25L, 3, 0.5L));
    double complex product = p_complex(1 + 2 * I, 3 - 4 * I);
    say("complex %.1f %.1f\n", __real__ product, __imag__ product);
    long double complex twice = p_long_complex(1.5L + 2.5L * I);
    say("long complex %.1Lf %.1Lf\n", __real__ twice, __imag__ twice);
    say("float %.2f\n", p_float(1.5F, 2.25));
    __int128 wide = p_wide((__int128)1 << 65, -3);
    say("wide %lld %llu\n", (long long)(wide >> 64), (unsigned long long)wide);
}

static void structures(void)
{
    struct two_doubles two = p_two_doubles((struct two_doubles){1, 2});
    struct mixed mixed = p_mixed((struct mixed){5, 1.5});
    struct large large;

    for (int i = 0; i < 20; i++)
        large.all[i] = i;
    struct large larger = p_large(large, 3);
    say("structures %.1f %.1f %ld %.1f %ld %ld\n", two.a, two.b, mixed.a, mixed.b, larger.all[1], larger.all[19]);
    say("many %ld\n", p_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                             27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40));
}

#if defined __x86_64__
__attribute__((target("avx"))) static void vectors(void)
{
    double sums[4];

    _mm256_storeu_pd(sums, p_vector(_mm256_set_pd(1, 2, 3, 4), 10, _mm256_set_pd(5, 6, 7, 8)));
    say("vector %.1f %.1f %.1f %.1f\n", sums[0], sums[1], sums[2], sums[3]);
}

__attribute__((target("avx512f"))) static void long_vectors(void)
{
    double sums[8], from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    __m512d a = _mm512_loadu_pd(from), b = _mm512_add_pd(a, a);

    _mm512_storeu_pd(sums, p_long_vector(a, b, a, b, a, b, a, b, _mm512_mul_pd(a, b)));
    for (int i = 0; i < 8; i++)
        say("%s%.1f", i ? " " : "long vector ", sums[i]);
    say("\n");
}
#endif

static void all_vectors(void)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx"))
        vectors();
    if (__builtin_cpu_supports("avx512f"))
        long_vectors();
#endif
}

static void look_back(void *count)
{
    void *frames[64];
    int depth = backtrace(frames, 64);
    void *into_main = __builtin_extract_return_addr(frames[depth > 2 ? depth - 3 : 0]);

    /* main, what calls it, and _start are above. */
    *(int *)count = depth > 5 && into_main != NULL;
}

static void kinds(void)
{
    int sees_all = 0;

    p_nothing();
    say("deep %ld tail %ld table %ld\n", p_deep(300), p_tail(5), p_by_table(6));
    say("chosen %d data %d pointer %d\n", p_chosen(1), p_data, p_pointer(1));
    p_call(look_back, &sees_all);
    say("backtrace %d\n", sees_all);
    errno = SENTINEL;
    p_nothing();
    say("errno %d\n", errno);
    int failed = p_fails(ENOSPC), after = errno;
    say("fails %d %d\n", failed, after);
}

int main(void)
{
    /* In a place of the program, and in one of the library. */
    say("same address %d\n", (void *)p_ints == p_address_of_ints());
    for (int i = 0; i < 3; i++) {
        all_vectors();
        numbers();
        structures();
        kinds();
    }
    say("checkpoint %d\n", p_checkpoint("saved", 5));
    tell();
    return 0;
}
