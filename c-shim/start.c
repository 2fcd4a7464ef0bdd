/* The first and the last word of a traced process. */

void iota_start(void);
void iota_finish(void);

__attribute__((constructor(101))) static void first(void)
{
    iota_start();
}

__attribute__((destructor(101))) static void last(void)
{
    iota_finish();
}
