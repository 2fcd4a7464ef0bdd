/* Leaves MPI without a communicator to give: the tracer can have none, and the program must not notice. */
#include "mpi_program.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int made = 0, most = argument(argc, argv, 1, 100000);
    MPI_Init(&argc, &argv);
    work();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (made < most && MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS)
        made++;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (my_rank() == 0)
        printf("%s\n", made < most ? "no communicator left" : "communicators without end");
    return MPI_Finalize();
}
