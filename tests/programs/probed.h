/* Functions of every kind that a probe may stand before (probed_library.c). */
#ifndef PROBED_H
#define PROBED_H
#include <complex.h>
#include <setjmp.h>
#include <stddef.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

struct two_doubles { double a, b; };
struct mixed { long a; double b; };
struct large { long all[20]; };

long p_ints(int a, long b, int c, long d, int e, long f, long g, int h, long i);
double p_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j);
double p_variadic(int count, ...);
int p_prints(char *to, size_t size, const char *format, ...);
long double p_long_double(long double a, int b, long double c);
double complex p_complex(double complex a, double complex b);
long double complex p_long_complex(long double complex a);
struct two_doubles p_two_doubles(struct two_doubles a);
struct mixed p_mixed(struct mixed a);
struct large p_large(struct large a, long factor);
__int128 p_wide(__int128 a, __int128 b);
float p_float(float a, double b);
void p_nothing(void);
long p_many(long a00, long a01, long a02, long a03, long a04, long a05, long a06, long a07, long a08, long a09,
            long a10, long a11, long a12, long a13, long a14, long a15, long a16, long a17, long a18, long a19,
            long a20, long a21, long a22, long a23, long a24, long a25, long a26, long a27, long a28, long a29,
            long a30, long a31, long a32, long a33, long a34, long a35, long a36, long a37, long a38, long a39);
#if defined __x86_64__
__attribute__((target("avx"))) __m256d p_vector(__m256d a, double b, __m256d c);
__attribute__((target("avx512f"))) __m512d p_long_vector(__m512d a, __m512d b, __m512d c, __m512d d, __m512d e, __m512d f,
                                                        __m512d g, __m512d h, __m512d on_stack);
#endif

/* Call each other. */
long p_deep(long depth);
long p_deeper(long depth);
/* Ends with a call of p_ints. */
long p_tail(int a);
/* Calls what it is given. */
void p_call(void (*what)(void *), void *with);
/* Sets errno, and leaves it. */
int p_fails(int number);
/* Writes a file by pwrite64. */
int p_checkpoint(const char *name, int count);
/* Resolved at the start. */
int p_chosen(int a);
/* Not a function. */
extern int p_data;
extern int (*p_pointer)(int);
/* Where the library has the address of a function of its own. */
void *p_address_of_ints(void);
long p_by_table(int a);
#endif
