/* Writes by way of a library that calls MPI-IO (mpiio_library.c), which it loads for itself alone. */
#include "mpiio.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    must(library != NULL, "dlopen");
    int (*library_write)(const char *, int) = (int (*)(const char *, int))dlsym(library, "library_write");
    must(library_write("library", rank) == MPI_SUCCESS, "library");
    tell("MPI_File_open", -1, 0, 0, 0, 1);
    tell("MPI_File_write_at_all", rank * 1000, 1000, 1000, 1000, 1);
    tell("MPI_File_close", -1, 0, 0, 0, 1);
    return MPI_Finalize();
}
