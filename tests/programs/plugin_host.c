/* plugin_host PLUGIN: loads it, calls it, unloads it, again and again. */
#include "program.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
    for (int i = 0; i < 5 && argc > 1; i++) {
        void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "work") : NULL;
        say("work %d, ", work ? work() : -1);
        say("unloaded %d, size %ld\n", plugin ? dlclose(plugin) : -1, size_of("plugin"));
    }
    say("no such: %d\n", dlopen("./missing.so", RTLD_NOW) == NULL);
    tell();
    return 0;
}
