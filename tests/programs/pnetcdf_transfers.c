/* Transfers of PnetCDF in every form: blocking and nonblocking, collective and independent, of fixed and record variables. */
#include <mpi.h>
#include <pnetcdf.h>
#include "netcdf_program.h"

#define ROWS 4
#define COLUMNS 6

static int ncid, grid, series, bytes;

static void define(const char *path)
{
    int dims[3];
    good(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &ncid), "ncmpi_create");
    good(ncmpi_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]), "ncmpi_def_dim");
    good(ncmpi_def_dim(ncid, "y", (MPI_Offset)ROWS * ranks, &dims[1]), "ncmpi_def_dim");
    good(ncmpi_def_dim(ncid, "x", COLUMNS, &dims[2]), "ncmpi_def_dim");
    good(ncmpi_def_var(ncid, "grid", NC_FLOAT, 2, dims + 1, &grid), "ncmpi_def_var");
    good(ncmpi_def_var(ncid, "series", NC_DOUBLE, 3, dims, &series), "ncmpi_def_var");
    good(ncmpi_def_var(ncid, "bytes", NC_BYTE, 2, dims + 1, &bytes), "ncmpi_def_var");
    good(ncmpi_put_att_text(ncid, grid, "units", 6, "meters"), "ncmpi_put_att_text");
    good(ncmpi_put_att_int(ncid, NC_GLOBAL, "version", NC_INT, 1, (int[]){3}), "ncmpi_put_att_int");
    good(ncmpi_enddef(ncid), "ncmpi_enddef");
}

static void blocking(void)
{
    double values[ROWS * COLUMNS] = {1}, back[ROWS * COLUMNS];
    int whole[64 * ROWS * COLUMNS];
    MPI_Offset start[3] = {0, (MPI_Offset)ROWS * rank, 0}, count[3] = {1, ROWS, COLUMNS}, stride[3] = {1, 2, 1};
    MPI_Offset half[3] = {1, ROWS / 2, COLUMNS};
    MPI_Offset *starts[2] = {start + 1, start + 1}, *counts[2] = {half + 1, half + 1};
    const int all = ROWS * COLUMNS;

    MOVED(ncmpi_put_vara_double_all(ncid, grid, start + 1, count + 1, values), "ncmpi_put_vara_double_all", "grid", all, 8, 1, 0);
    MOVED(ncmpi_put_vara_double_all(ncid, series, start, count, values), "ncmpi_put_vara_double_all", "series", all, 8, 1, 1);
    MOVED(ncmpi_put_vara_all(ncid, grid, start + 1, count + 1, values, all, MPI_FLOAT), "ncmpi_put_vara_all", "grid", all, 4, 1, 0);
    MOVED(ncmpi_put_vara_all(ncid, series, start, count, values, 0, MPI_DATATYPE_NULL), "ncmpi_put_vara_all", "series", all, 8, 1, 1);
    MOVED(ncmpi_get_vara_float_all(ncid, grid, start + 1, count + 1, (float *)back), "ncmpi_get_vara_float_all", "grid", all, 4, 1, 0);
    MOVED(ncmpi_put_vars_schar_all(ncid, bytes, start + 1, half + 1, stride + 1, (signed char *)values), "ncmpi_put_vars_schar_all",
          "bytes", all / 2, 1, 1, 0);
    MOVED(ncmpi_put_varn_int_all(ncid, grid, 2, starts, counts, whole), "ncmpi_put_varn_int_all", "grid", all, 4, 1, 0);
    MOVED(ncmpi_get_var_int_all(ncid, grid, whole), "ncmpi_get_var_int_all", "grid", all * ranks, 4, 1, 0);
    MOVED(ncmpi_get_var_longlong_all(ncid, series, (long long *)malloc(8 * all * ranks)), "ncmpi_get_var_longlong_all", "series",
          all * ranks, 8, 1, 1);
    good(ncmpi_begin_indep_data(ncid), "ncmpi_begin_indep_data");
    MOVED(ncmpi_put_vara_double(ncid, grid, start + 1, count + 1, values), "ncmpi_put_vara_double", "grid", all, 8, 0, 0);
    MOVED(ncmpi_get_var1_short(ncid, bytes, start + 1, (short *)back), "ncmpi_get_var1_short", "bytes", 1, 2, 0, 0);
    good(ncmpi_end_indep_data(ncid), "ncmpi_end_indep_data");
}

static void nonblocking(void)
{
    double values[ROWS * COLUMNS] = {2};
    MPI_Offset start[3] = {1, (MPI_Offset)ROWS * rank, 0}, count[3] = {1, ROWS, COLUMNS};
    int requests[3], statuses[3];
    const int all = ROWS * COLUMNS;

    good(ncmpi_buffer_attach(ncid, 8 * all), "ncmpi_buffer_attach");
    good(ncmpi_iput_vara_double(ncid, grid, start + 1, count + 1, values, &requests[0]), "ncmpi_iput_vara_double");
    good(ncmpi_bput_vara_double(ncid, series, start, count, values, &requests[1]), "ncmpi_bput_vara_double");
    good(ncmpi_iget_vara_float(ncid, grid, start + 1, count + 1, (float *)malloc(4 * all), &requests[2]), "ncmpi_iget_vara_float");
    usleep(2000);
    good(ncmpi_wait_all(ncid, 3, requests, statuses), "ncmpi_wait_all");
    tell("ncmpi_iput_vara_double", "grid", 8 * all, all, 1, 0);
    tell("ncmpi_bput_vara_double", "series", 8 * all, all, 1, 1);
    tell("ncmpi_iget_vara_float", "grid", 4 * all, all, 1, 0);
    good(ncmpi_buffer_detach(ncid), "ncmpi_buffer_detach");

    good(ncmpi_iput_vara_double(ncid, grid, start + 1, count + 1, values, NULL), "ncmpi_iput_vara_double");
    good(ncmpi_iget_var1_int(ncid, bytes, start + 1, requests, NULL), "ncmpi_iget_var1_int");
    good(ncmpi_wait_all(ncid, NC_PUT_REQ_ALL, NULL, NULL), "ncmpi_wait_all");
    tell("ncmpi_iput_vara_double", "grid", 8 * all, all, 1, 0);
    good(ncmpi_wait_all(ncid, NC_REQ_ALL, NULL, NULL), "ncmpi_wait_all");
    tell("ncmpi_iget_var1_int", "bytes", 4, 1, 1, 0);

    /* One that is taken back */
    good(ncmpi_iput_vara_double(ncid, series, start, count, values, &requests[0]), "ncmpi_iput_vara_double");
    good(ncmpi_cancel(ncid, 1, requests, statuses), "ncmpi_cancel");
    tell("ncmpi_iput_vara_double", "series", 8 * all, all, 0, 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    define(argv[1]);
    blocking();
    nonblocking();
    /* Refused: there is no such variable, and no such file */
    if (ncmpi_put_var_int_all(ncid, 77, &rank) != NC_ENOTVAR)
        abort();
    good(ncmpi_close(ncid), "ncmpi_close");
    if (ncmpi_open(MPI_COMM_WORLD, "nowhere.nc", NC_NOWRITE, MPI_INFO_NULL, &ncid) == NC_NOERR)
        abort();
    MPI_Finalize();
    return 0;
}
