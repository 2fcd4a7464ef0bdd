/* Transfers of serial NetCDF: a classic file, and one of netCDF-4 with groups, chunks and an unlimited dimension. */
#include <netcdf.h>
#include "netcdf_program.h"

static void classic(const char *path)
{
    int ncid, dims[2], grid, series;
    double values[12] = {1}, whole[24];
    size_t start[2] = {0, 0}, count[2] = {2, 4};
    ptrdiff_t stride[2] = {1, 2};
    char text[4] = "abc";

    good(nc_create(path, NC_CLOBBER, &ncid), "nc_create");
    good(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]), "nc_def_dim");
    good(nc_def_dim(ncid, "x", 4, &dims[1]), "nc_def_dim");
    good(nc_def_var(ncid, "row", NC_CHAR, 1, dims + 1, &grid), "nc_def_var");
    good(nc_def_var(ncid, "series", NC_FLOAT, 2, dims, &series), "nc_def_var");
    good(nc_put_att_text(ncid, series, "units", 6, "meters"), "nc_put_att_text");
    good(nc_enddef(ncid), "nc_enddef");
    MOVED(nc_put_var_text(ncid, grid, text), "nc_put_var_text", "row", 4, 1, 0, 0);
    MOVED(nc_put_vara_double(ncid, series, start, count, values), "nc_put_vara_double", "series", 8, 8, 0, 1);
    start[0] = 2;
    MOVED(nc_put_vara(ncid, series, start, count, values), "nc_put_vara", "series", 8, 4, 0, 1);
    MOVED(nc_get_var_double(ncid, series, whole), "nc_get_var_double", "series", 16, 8, 0, 1);
    start[0] = 0;
    MOVED(nc_get_vara_double(ncid, series, start, NULL, whole), "nc_get_vara_double", "series", 16, 8, 0, 1);
    MOVED(nc_put_vara_text(ncid, grid, start, NULL, text), "nc_put_vara_text", "row", 4, 1, 0, 0);
    start[0] = 2;
    count[1] = 2;
    MOVED(nc_get_vars_int(ncid, series, start, count, stride, (int *)whole), "nc_get_vars_int", "series", 4, 4, 0, 1);
    MOVED(nc_get_var1_float(ncid, series, start, (float *)whole), "nc_get_var1_float", "series", 1, 4, 0, 1);
    good(nc_redef(ncid), "nc_redef");
    good(nc_rename_var(ncid, grid, "line"), "nc_rename_var");
    good(nc_enddef(ncid), "nc_enddef");
    MOVED(nc_get_var_text(ncid, grid, text), "nc_get_var_text", "line", 4, 1, 0, 0);
    good(nc_sync(ncid), "nc_sync");
    good(nc_close(ncid), "nc_close");
}

static void hierarchical(const char *path)
{
    int ncid, group, dims[2], series, names;
    float values[8] = {1};
    size_t start[2] = {0, 0}, count[2] = {2, 4}, chunks[2] = {1, 4};
    const char *words[4] = {"a", "bb", "ccc", "dddd"};

    good(nc_create(path, NC_CLOBBER | NC_NETCDF4, &ncid), "nc_create");
    good(nc_def_grp(ncid, "forecast", &group), "nc_def_grp");
    good(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]), "nc_def_dim");
    good(nc_def_dim(ncid, "x", 4, &dims[1]), "nc_def_dim");
    good(nc_def_var(group, "series", NC_DOUBLE, 2, dims, &series), "nc_def_var");
    good(nc_def_var_chunking(group, series, NC_CHUNKED, chunks), "nc_def_var_chunking");
    good(nc_def_var_deflate(group, series, 1, 1, 4), "nc_def_var_deflate");
    good(nc_def_var(ncid, "names", NC_STRING, 1, dims + 1, &names), "nc_def_var");
    MOVED(nc_put_vara_float(group, series, start, count, values), "nc_put_vara_float", "/forecast/series", 8, 4, 0, 1);
    MOVED(nc_get_vara_float(group, series, start, count, values), "nc_get_vara_float", "/forecast/series", 8, 4, 0, 1);
    MOVED(nc_get_vara_float(group, series, start, NULL, values), "nc_get_vara_float", "/forecast/series", 8, 4, 0, 1);
    MOVED(nc_put_var_string(ncid, names, words), "nc_put_var_string", "names", 4, 8, 0, 0);
    good(nc_close(ncid), "nc_close");
}

int main(int argc, char **argv)
{
    int ncid;
    if (argc < 3)
        return 2;
    classic(argv[1]);
    hierarchical(argv[2]);
    if (nc_open("nowhere.nc", NC_NOWRITE, &ncid) != 2)
        abort();
    return 0;
}
