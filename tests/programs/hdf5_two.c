/* A program with an HDF5, and a plugin (its first argument) with another one. Both give out the same ids. */
#include "hdf5_told.h"
#include <dlfcn.h>

void write_file(const char *path);

int main(int argc, char **argv)
{
    must(argc == 2, "hdf5_two PLUGIN");
    write_file("data.h5");
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    must(plugin != NULL, "dlopen");
    void (*other)(const char *) = (void (*)(const char *))dlsym(plugin, "write_file");
    must(other != NULL, "dlsym");
    other("other.h5");
    write_file("data.h5");
    return 0;
}
