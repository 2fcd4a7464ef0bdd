/* mpi_spawn_tree: three ranks more, `first`, of which number 1 starts two, `third`; when these have started, one more,
   `second`. Each writes NAME.R. */
#include "mpi_program.h"
#include <string.h>

static MPI_Comm start(char *program, char *name, int ranks, int root)
{
    MPI_Comm children;
    char *arguments[] = {name, NULL};
    MPI_Comm_spawn(program, arguments, ranks, MPI_INFO_NULL, root, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    return children;
}

static void meet(MPI_Comm others)
{
    MPI_Barrier(others);
    MPI_Comm_disconnect(&others);
}

int main(int argc, char **argv)
{
    MPI_Comm parents;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    char *name = argc > 1 ? argv[1] : "parents", file[32];
    snprintf(file, sizeof file, "%s.%d", name, my_rank());
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0 && write(fd, file, 7) == 7 && close(fd) == 0, file);
    if (argc == 1) {
        meet(start(argv[0], "first", 3, 0));
        meet(start(argv[0], "second", 1, 0));
    }
    if (strcmp(name, "first") == 0)
        meet(start(argv[0], "third", 2, 1));
    if (parents != MPI_COMM_NULL)
        meet(parents);
    return MPI_Finalize();
}
