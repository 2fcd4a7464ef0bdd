/* A library with functions of every kind. */
#define _GNU_SOURCE
#include "probed.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int p_data = 7;

long p_ints(int a, long b, int c, long d, int e, long f, long g, int h, long i)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

double p_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

double p_variadic(int count, ...)
{
    va_list list;
    double sum = 0;

    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(list, double) : (double)va_arg(list, int);
    va_end(list);
    return sum;
}

int p_prints(char *to, size_t size, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    int printed = vsnprintf(to, size, format, list);
    va_end(list);
    return printed;
}

long double p_long_double(long double a, int b, long double c)
{
    return a * b + c;
}

double complex p_complex(double complex a, double complex b)
{
    return a * b;
}

long double complex p_long_complex(long double complex a)
{
    return a * 2;
}

struct two_doubles p_two_doubles(struct two_doubles a)
{
    return (struct two_doubles){a.b, a.a};
}

struct mixed p_mixed(struct mixed a)
{
    return (struct mixed){a.a + 1, a.b * 2};
}

struct large p_large(struct large a, long factor)
{
    for (int i = 0; i < 20; i++)
        a.all[i] *= factor;
    return a;
}

__int128 p_wide(__int128 a, __int128 b)
{
    return a * b;
}

float p_float(float a, double b)
{
    return a + (float)b;
}

void p_nothing(void)
{
}

long p_many(long a00, long a01, long a02, long a03, long a04, long a05, long a06, long a07, long a08, long a09,
            long a10, long a11, long a12, long a13, long a14, long a15, long a16, long a17, long a18, long a19,
            long a20, long a21, long a22, long a23, long a24, long a25, long a26, long a27, long a28, long a29,
            long a30, long a31, long a32, long a33, long a34, long a35, long a36, long a37, long a38, long a39)
{
    long all[] = {a00, a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
                  a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39};
    long sum = 0;

    for (int i = 0; i < 40; i++)
        sum += (i + 1) * all[i];
    return sum;
}

#if defined __x86_64__
__attribute__((target("avx"))) __m256d p_vector(__m256d a, double b, __m256d c)
{
    return _mm256_add_pd(_mm256_mul_pd(a, _mm256_set1_pd(b)), c);
}

__attribute__((target("avx512f"))) __m512d p_long_vector(__m512d a, __m512d b, __m512d c, __m512d d, __m512d e, __m512d f,
                                                        __m512d g, __m512d h, __m512d on_stack)
{
    __m512d ab = _mm512_add_pd(a, b), cd = _mm512_add_pd(c, d), ef = _mm512_add_pd(e, f), gh = _mm512_sub_pd(g, h);
    return _mm512_mul_pd(_mm512_add_pd(_mm512_add_pd(ab, cd), _mm512_add_pd(ef, gh)), on_stack);
}
#endif

long p_deep(long depth)
{
    return depth == 0 ? 0 : 1 + p_deeper(depth - 1);
}

long p_deeper(long depth)
{
    return depth == 0 ? 0 : 1 + p_deep(depth - 1);
}

__attribute__((optimize("O2"))) long p_tail(int a)
{
    return p_ints(a, 0, 0, 0, 0, 0, 0, 0, 0);
}

void p_call(void (*what)(void *), void *with)
{
    what(with);
}

int p_fails(int number)
{
    errno = number;
    return -1;
}

int p_checkpoint(const char *name, int count)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600), written = 0;

    for (int i = 0; i < count; i++)
        written += (int)pwrite64(fd, "checkpoint", 10, 10 * i);
    return close(fd) == 0 ? written : -1;
}

static int chosen(int a)
{
    return a + 1000;
}

static int (*choose(void))(int)
{
    return chosen;
}

int p_chosen(int a) __attribute__((ifunc("choose")));

static int pointed_at(int a)
{
    return a + 1;
}

int (*p_pointer)(int) = pointed_at;

void *p_address_of_ints(void)
{
    return (void *)p_ints;
}

static long (*table[])(int) = {p_tail};

long p_by_table(int a)
{
    return table[0](a);
}
