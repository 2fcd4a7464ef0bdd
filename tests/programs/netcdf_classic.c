/* Parallel NetCDF with a file of format CDF-5, which PnetCDF reads and writes: independent at first, then collective, for all
   variables at once. Each transfer is told twice, as NetCDF's and as what it becomes. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include "netcdf_program.h"

enum { ROWS = 4, COLUMNS = 6, ALL = ROWS * COLUMNS };

int main(int argc, char **argv)
{
    int ncid, dims[3], grid, series;
    double values[ALL] = {1};
    size_t start[3] = {0}, count[3] = {1, ROWS, COLUMNS};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    start[1] = ROWS * (size_t)rank;
    good(nc_create_par(argv[argc - 1], NC_CLOBBER | NC_64BIT_DATA, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid), "nc_create_par");
    good(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]), "nc_def_dim");
    good(nc_def_dim(ncid, "y", ROWS * (size_t)ranks, &dims[1]), "nc_def_dim");
    good(nc_def_dim(ncid, "x", COLUMNS, &dims[2]), "nc_def_dim");
    good(nc_def_var(ncid, "grid", NC_FLOAT, 2, dims + 1, &grid), "nc_def_var");
    good(nc_def_var(ncid, "series", NC_DOUBLE, 3, dims, &series), "nc_def_var");
    good(nc_put_att_text(ncid, grid, "units", 6, "meters"), "nc_put_att_text");
    good(nc_enddef(ncid), "nc_enddef");
    MOVED(nc_put_vara_double(ncid, grid, start + 1, count + 1, values), "nc_put_vara_double", "grid", ALL, 8, 0, 0);
    tell("ncmpi_put_vara_double", "grid", 8 * ALL, ALL, 0, 0);
    good(nc_var_par_access(ncid, grid, NC_COLLECTIVE), "nc_var_par_access");
    MOVED(nc_put_vara_double(ncid, series, start, count, values), "nc_put_vara_double", "series", ALL, 8, 1, 1);
    tell("ncmpi_put_vara_double_all", "series", 8 * ALL, ALL, 1, 1);
    good(nc_close(ncid), "nc_close");
    good(nc_open_par(argv[argc - 1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid), "nc_open_par");
    MOVED(nc_get_vara_double(ncid, grid, start + 1, count + 1, values), "nc_get_vara_double", "grid", ALL, 8, 0, 0);
    tell("ncmpi_get_vara_double", "grid", 8 * ALL, ALL, 0, 0);
    good(nc_close(ncid), "nc_close");
    MPI_Finalize();
    return 0;
}
