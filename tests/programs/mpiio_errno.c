/* Functions that the tracer asks of MPI leave an errno of their own. The program's calls must not: of each it tells whether they
   did. Linked with -rdynamic, so that whoever looks the functions up finds these. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include "mpiio.h"

#define LEAVES_ERRNO(name, params, args)                    \
    int name params                                         \
    {                                                       \
        int (*real) params = dlsym(RTLD_NEXT, #name);       \
        must(real != NULL, #name);                          \
        int code = real args;                               \
        errno = EDOM;                                       \
        return code;                                        \
    }
LEAVES_ERRNO(PMPI_Error_class, (int error, int *class), (error, class))
LEAVES_ERRNO(PMPI_Type_get_extent_x, (MPI_Datatype type, MPI_Count *lower, MPI_Count *extent), (type, lower, extent))
LEAVES_ERRNO(PMPI_Type_get_true_extent_x, (MPI_Datatype type, MPI_Count *lower, MPI_Count *extent), (type, lower, extent))
LEAVES_ERRNO(PMPI_Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count), (status, type, count))
LEAVES_ERRNO(PMPI_File_get_info, (MPI_File file, MPI_Info *info), (file, info))
LEAVES_ERRNO(PMPI_File_get_position, (MPI_File file, MPI_Offset *position), (file, position))
LEAVES_ERRNO(PMPI_File_get_byte_offset, (MPI_File file, MPI_Offset at, MPI_Offset *byte), (file, at, byte))

#define TOLD(call, expected)                                                  \
    do {                                                                      \
        errno = 0;                                                            \
        int code = call, after = errno;                                       \
        must((code == MPI_SUCCESS) == (expected), #call);                     \
        printf("%d %s: %s\n", rank, #call, after == EDOM ? "EDOM" : "other"); \
    } while (0)

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    MPI_Info info;
    MPI_Datatype gaps;
    char bytes[8] = "12345678";

    begin(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Type_vector(2, 4, 8, MPI_BYTE, &gaps);
    MPI_Type_commit(&gaps);
    TOLD(MPI_File_open(MPI_COMM_WORLD, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), 0);
    TOLD(MPI_File_open(MPI_COMM_WORLD, "errno.file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), 1);
    TOLD(MPI_File_write(file, bytes, 8, MPI_BYTE, &status), 1);
    TOLD(MPI_File_iwrite(file, bytes, 8, MPI_BYTE, &request), 1);
    TOLD(MPI_Wait(&request, &status), 1);
    TOLD(MPI_File_set_info(file, info), 1);
    TOLD(MPI_File_set_view(file, 0, MPI_BYTE, gaps, "native", MPI_INFO_NULL), 1);
    TOLD(MPI_File_write_at(file, 0, bytes, 8, MPI_BYTE, &status), 1);
    TOLD(MPI_File_iwrite_at(file, 0, bytes, 8, MPI_BYTE, &request), 1);
    TOLD(MPI_Wait(&request, &status), 1);
    TOLD(MPI_File_read_all_begin(file, bytes, 8, MPI_BYTE), 1);
    TOLD(MPI_File_read_all_end(file, bytes, &status), 1);
    TOLD(MPI_File_close(&file), 1);
    MPI_Info_free(&info);
    MPI_Type_free(&gaps);
    MPI_Finalize();
    return 0;
}
