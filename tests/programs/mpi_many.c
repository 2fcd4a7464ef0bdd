/* mpi_many COUNT: that many small writes of every rank to a file of its own. */
#include "mpi_program.h"

int main(int argc, char **argv)
{
    char name[32];
    MPI_Init(&argc, &argv);
    snprintf(name, sizeof name, "many.%d", my_rank());
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600), count = argument(argc, argv, 1, 1000);
    for (int i = 0; i < count; i++)
        must(pwrite(fd, "12345678", 8, (off_t)(i * 37 % count) * 8) == 8, name);
    must(close(fd) == 0, name);
    return MPI_Finalize();
}
