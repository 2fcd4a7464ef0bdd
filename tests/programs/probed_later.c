/* probed_later LIBRARY: loads a library, calls its functions by their addresses, and unloads it, again and again. */
#include "program.h"
#include "probed.h"
#include <dlfcn.h>
#include <pthread.h>

typedef long ints(int a, long b, int c, long d, int e, long f, long g, int h, long i);
typedef long by_table(int a);

static void *address(void *library, const char *name)
{
    void *found = dlsym(library, name);

    if (!found)
        say("%s: %s\n", name, dlerror());
    return found;
}

static void once(const char *file)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    ints *sum = (ints *)address(library, "p_ints");
    by_table *through = (by_table *)address(library, "p_by_table");
    int *data = (int *)address(library, "p_data");

    say("%ld %ld %d\n", sum(1, 2, 3, 4, 5, 6, 7, 8, 9), through(3), *data);
    say("found elsewhere %d %d\n", dlsym(RTLD_DEFAULT, "p_ints") != NULL, dlsym(RTLD_NEXT, "write") != NULL);
    if (dlsym(library, "p_nowhere") == NULL)
        say("told %d\n", strstr(dlerror(), "p_nowhere") != NULL);
    dlclose(library);
}

static void *asks(void *file)
{
    for (int i = 0; i < 200; i++) {
        void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        ints *sum = (ints *)address(library, "p_ints");

        if (!sum || sum(1, 0, 0, 0, 0, 0, 0, 0, 0) != 1)
            abort();
        dlclose(library);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t all[4];

    for (int i = 0; argc > 1 && i < 20; i++)
        once(argv[1]);
    for (int i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, asks, argv[1]);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
    tell();
    return 0;
}
