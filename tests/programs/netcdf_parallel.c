/* Parallel NetCDF: a file of netCDF-4 on all ranks, with collective and independent access. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include "netcdf_program.h"

int main(int argc, char **argv)
{
    int ncid, dims[2], grid, series, packed;
    double values[24] = {1};
    size_t start[2], count[2] = {4, 6}, one[2] = {1, 6};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    start[0] = 4 * (size_t)rank, start[1] = 0;
    good(nc_create_par(argv[1], NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid), "nc_create_par");
    good(nc_def_dim(ncid, "y", 4 * (size_t)ranks, &dims[0]), "nc_def_dim");
    good(nc_def_dim(ncid, "x", 6, &dims[1]), "nc_def_dim");
    good(nc_def_var(ncid, "grid", NC_DOUBLE, 2, dims, &grid), "nc_def_var");
    good(nc_def_var(ncid, "packed", NC_DOUBLE, 2, dims, &packed), "nc_def_var");
    good(nc_def_var_deflate(ncid, packed, 0, 1, 1), "nc_def_var_deflate");
    good(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]), "nc_def_dim");
    good(nc_def_var(ncid, "series", NC_FLOAT, 2, dims, &series), "nc_def_var");
    good(nc_enddef(ncid), "nc_enddef");
    MOVED(nc_put_vara_double(ncid, grid, start, count, values), "nc_put_vara_double", "grid", 24, 8, 0, 0);
    /* Its filter has made it collective. */
    MOVED(nc_put_vara_double(ncid, packed, start, count, values), "nc_put_vara_double", "packed", 24, 8, 1, 0);
    good(nc_var_par_access(ncid, grid, NC_COLLECTIVE), "nc_var_par_access");
    good(nc_var_par_access(ncid, series, NC_COLLECTIVE), "nc_var_par_access");
    MOVED(nc_put_vara_double(ncid, grid, start, count, values), "nc_put_vara_double", "grid", 24, 8, 1, 0);
    start[0] = (size_t)rank;
    MOVED(nc_put_vara_double(ncid, series, start, one, values), "nc_put_vara_double", "series", 6, 8, 1, 1);
    good(nc_close(ncid), "nc_close");
    good(nc_open_par(argv[1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid), "nc_open_par");
    start[0] = 4 * (size_t)rank;
    MOVED(nc_get_vara_double(ncid, grid, start, count, values), "nc_get_vara_double", "grid", 24, 8, 0, 0);
    good(nc_close(ncid), "nc_close");
    MPI_Finalize();
    return 0;
}
