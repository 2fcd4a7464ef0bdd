/* The first and the last word of a traced process. */

void iota_start(void);
void iota_finish(void);

__attribute__((constructor(101))) static void first(void)
{
    iota_start();
}

#ifdef IOTA_PRELOAD
/* AddressSanitizer's runtime asks for this, and ends a program that has a library before it in the order of lookup.
 * The tracer stands there, and hands every call on to it. */
const char *__asan_default_options(void)
{
    return "verify_asan_link_order=0";
}
#endif

__attribute__((destructor(101))) static void last(void)
{
    iota_finish();
}
