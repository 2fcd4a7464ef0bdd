/* mpi_spawn [multiple]: starts three ranks more by MPI_Comm_spawn, or by MPI_Comm_spawn_multiple in two groups. Parents
   write own.R and their stripes of `shared`; children write child.R, 100 bytes for each rank up to their own, and rank
   0 of them starts another program, traced by $TRACER. */
#include "mpi_program.h"

static void child(MPI_Comm parents)
{
    char name[32], bytes[400] = "";
    snprintf(name, sizeof name, "child.%d", my_rank());
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0, name);
    size_t length = 100 * (size_t)(my_rank() + 1);
    must(write(fd, bytes, length) == (ssize_t)length, name);
    must(close(fd) == 0, name);
    if (my_rank() == 0)
        must(system("exec env LD_PRELOAD=$TRACER /bin/echo >touched") == 0, "echo");
    MPI_Barrier(parents);
    MPI_Comm_disconnect(&parents);
}

static void parent(char *program, int multiple)
{
    MPI_Comm children;
    char *programs[] = {program, program};
    int ranks[] = {1, 2};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    work();
    if (multiple)
        MPI_Comm_spawn_multiple(2, programs, MPI_ARGVS_NULL, ranks, infos, 0, MPI_COMM_WORLD, &children,
                                MPI_ERRCODES_IGNORE);
    else
        MPI_Comm_spawn(program, MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Barrier(children);
    MPI_Comm_disconnect(&children);
}

int main(int argc, char **argv)
{
    MPI_Comm parents;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL)
        child(parents);
    else
        parent(argv[0], argc > 1);
    return MPI_Finalize();
}
