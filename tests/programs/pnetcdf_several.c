/* Several variables in one call of PnetCDF, and requests for which nobody waits. */
#include <mpi.h>
#include <pnetcdf.h>
#include "netcdf_program.h"

enum { SIZE = 10, SEVERAL = 3 };

int main(int argc, char **argv)
{
    int ncid, dim, variables[SEVERAL], request;
    int values[SEVERAL][SIZE] = {{1}};
    void *buffers[SEVERAL];
    int *ints[SEVERAL];
    MPI_Offset starts[SEVERAL], one[SEVERAL], counts[SEVERAL], *each_start[SEVERAL], *each_count[SEVERAL];
    MPI_Datatype types[SEVERAL];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    good(ncmpi_create(MPI_COMM_WORLD, argv[argc - 1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &ncid), "ncmpi_create");
    good(ncmpi_def_dim(ncid, "x", (MPI_Offset)SIZE * ranks, &dim), "ncmpi_def_dim");
    for (int i = 0; i < SEVERAL; i++) {
        char name[8];
        sprintf(name, "of%d", i);
        good(ncmpi_def_var(ncid, name, i % 2 ? NC_FLOAT : NC_INT, 1, &dim, &variables[i]), "ncmpi_def_var");
        buffers[i] = ints[i] = values[i], types[i] = MPI_INT;
        starts[i] = (MPI_Offset)SIZE * rank, counts[i] = SIZE, one[i] = 1;
        each_start[i] = &starts[i], each_count[i] = &counts[i];
    }
    good(ncmpi_enddef(ncid), "ncmpi_enddef");
    MOVED(ncmpi_mput_vara_all(ncid, SEVERAL, variables, each_start, each_count, buffers, counts, types), "ncmpi_mput_vara_all", "-",
          SEVERAL * SIZE, 4, 1, 0);
    MOVED(ncmpi_mput_vara_int_all(ncid, 2, variables, each_start, each_count, ints), "ncmpi_mput_vara_int_all", "-", 2 * SIZE, 4, 1, 0);
    MOVED(ncmpi_mget_vara_all(ncid, SEVERAL, variables, each_start, each_count, buffers, counts, types), "ncmpi_mget_vara_all", "-",
          SEVERAL * SIZE, 4, 1, 0);
    good(ncmpi_begin_indep_data(ncid), "ncmpi_begin_indep_data");
    MOVED(ncmpi_mput_var1_int(ncid, 2, variables, each_start, ints), "ncmpi_mput_var1_int", "-", 2, 4, 0, 0);
    MOVED(ncmpi_mget_var1(ncid, 2, variables, each_start, buffers, one, types), "ncmpi_mget_var1", "-", 2, 4, 0, 0);
    good(ncmpi_end_indep_data(ncid), "ncmpi_end_indep_data");

    /* The close gives it up. */
    good(ncmpi_iput_vara_int(ncid, variables[0], starts, counts, values[0], &request), "ncmpi_iput_vara_int");
    tell("ncmpi_iput_vara_int", "of0", 4 * SIZE, SIZE, 0, 0);
    if (ncmpi_close(ncid) != NC_EPENDING)
        abort();

    /* The program ends with one under way. */
    good(ncmpi_open(MPI_COMM_WORLD, argv[argc - 1], NC_WRITE, MPI_INFO_NULL, &ncid), "ncmpi_open");
    good(ncmpi_iput_vara_int(ncid, variables[0], starts, counts, values[0], &request), "ncmpi_iput_vara_int");
    tell("ncmpi_iput_vara_int", "of0", 4 * SIZE, SIZE, 0, 0);
    MPI_Finalize();
    return 0;
}
