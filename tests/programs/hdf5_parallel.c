/* A dataset that all ranks write together and each by itself, in a file of the MPI-IO driver. */
#include "hdf5_told.h"
#include <mpi.h>

enum { ROWS = 256, COLUMNS = 64 };
static int rank, ranks;

static void of_rank(const char *op, long bytes, const char *details)
{
    printf("call %d %s %ld 0 %s\n", rank, op, bytes, details);
}

static void transfer(hid_t dataset, int is_chunked, int is_collective)
{
    static double values[ROWS * COLUMNS];
    hsize_t start[] = {(hsize_t)rank * ROWS, 0}, count[] = {ROWS, COLUMNS};
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(2, count, NULL), dxpl = H5Pcreate(H5P_DATASET_XFER);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Pset_dxpl_mpio(dxpl, is_collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
    must(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, dxpl, values) == 0, "H5Dwrite");
    H5D_mpio_actual_io_mode_t mode = 0;
    H5Pget_mpio_actual_io_mode(dxpl, &mode);
    const char *done = mode == H5D_MPIO_CONTIGUOUS_COLLECTIVE ? "\"contiguous collective\"" :
                       mode == H5D_MPIO_CHUNK_COLLECTIVE      ? "\"chunk collective\"" :
                                                                "-";
    must(!is_collective || mode != 0, "a collective transfer");
    char details[512];
    snprintf(details, sizeof details,
             "array{object=\"/%s\" elements=16384 element=8 stored=8 converted=0 selection=\"hyperslab\" layout=\"%s\" chunk=%d "
             "filters=- collective=%d done=%s}",
             is_chunked ? "chunked" : "contiguous", is_chunked ? "chunked" : "contiguous", is_chunked ? ROWS * COLUMNS * 8 : 0,
             is_collective, done);
    of_rank("H5Dwrite", ROWS * COLUMNS * 8, details);
    H5Pclose(dxpl);
    H5Sclose(space);
    H5Sclose(memory);
}

static void dataset(hid_t file, int is_chunked)
{
    hsize_t sizes[] = {(hsize_t)ranks * ROWS, COLUMNS}, chunk[] = {ROWS, COLUMNS};
    hid_t space = H5Screate_simple(2, sizes, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const char *name = is_chunked ? "chunked" : "contiguous";
    char details[256];
    if (is_chunked)
        H5Pset_chunk(dcpl, 2, chunk);
    hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    must(dataset > 0, "H5Dcreate2");
    snprintf(details, sizeof details, "dataset{object=\"/%s\" stored=8 layout=\"%s\" chunk=%d filters=-}", name, name,
             is_chunked ? ROWS * COLUMNS * 8 : 0);
    of_rank("H5Dcreate2", 0, details);
    transfer(dataset, is_chunked, 1);
    transfer(dataset, is_chunked, 0);
    H5Dclose(dataset);
    snprintf(details, sizeof details, "object{object=\"/%s\"}", name);
    of_rank("H5Dclose", 0, details);
    H5Sclose(space);
    H5Pclose(dcpl);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_all_coll_metadata_ops(fapl, 1);
    hid_t file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    must(file > 0, "H5Fcreate");
    of_rank("H5Fcreate", 0, "hdf5_open{object=\"/\" flags=0x2 driver=\"mpio\" vol=\"native\" metadata_reads=1 metadata_writes=0}");
    dataset(file, 0);
    dataset(file, 1);
    /* One rank alone: what the tracer asks may not wait for others. */
    if (rank == 0) {
        hid_t alone = H5Dopen2(file, "contiguous", H5P_DEFAULT);
        of_rank("H5Dopen2", 0, "dataset{object=\"/contiguous\" stored=8 layout=\"contiguous\" chunk=0 filters=-}");
        H5Dclose(alone);
        of_rank("H5Dclose", 0, "object{object=\"/contiguous\"}");
    }
    H5Fclose(file);
    of_rank("H5Fclose", 0, "object{object=\"/\"}");
    H5Pclose(fapl);
    MPI_Finalize();
    return 0;
}
