/* Every blocking call on a file, with and without a status, contiguous and through a view. */
#include "mpiio.h"

enum { INTS = 256, BYTES = INTS * sizeof(int) };
static int out[INTS], in[4 * INTS];
static MPI_Status status;

/* The calls of one name that take an offset, on a part of the file of their own. */
#define AT(name, buffer, part, together)                                                                                  \
    do {                                                                                                                  \
        MPI_Offset at = (MPI_Offset)((part) * ranks + rank) * BYTES;                                                      \
        moved(MPI_File_##name(file, at, buffer, INTS, MPI_INT, &status), "MPI_File_" #name, at, BYTES, &status, together); \
        must(MPI_File_##name(file, at, buffer, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS, #name);                     \
        tell("MPI_File_" #name, at, 4, 4, 4, together);                                                                   \
        moved(MPI_File_##name(file, at, buffer, 0, MPI_INT, &status), "MPI_File_" #name, at, 0, &status, together);       \
    } while (0)

static void with_offsets(MPI_File file)
{
    AT(write_at, out, 0, 0);
    AT(write_at_all, out, 1, 1);
    AT(read_at, in, 0, 0);
    AT(read_at_all, in, 1, 1);
#if MPI_VERSION >= 4
    AT(write_at_c, out, 2, 0);
    AT(write_at_all_c, out, 3, 1);
    AT(read_at_c, in, 2, 0);
    AT(read_at_all_c, in, 3, 1);
#endif
}

/* The calls of one name that use the rank's file pointer. */
#define OWN(name, buffer, together)                                                                              \
    do {                                                                                                         \
        MPI_Offset at;                                                                                           \
        MPI_File_get_position(file, &at);                                                                        \
        tell("MPI_File_get_position", -1, 0, 0, 0, 0);                                                           \
        moved(MPI_File_##name(file, buffer, INTS, MPI_INT, &status), "MPI_File_" #name, at, BYTES, &status, together); \
    } while (0)

static void to(MPI_File file, MPI_Offset offset)
{
    must(MPI_File_seek(file, offset, MPI_SEEK_SET) == MPI_SUCCESS, "seek");
    tell("MPI_File_seek", -1, offset, 0, 0, 0);
}

static void with_pointers(MPI_File file)
{
    MPI_Offset own = (MPI_Offset)(10 * ranks + 4 * rank) * BYTES;
    to(file, own);
    OWN(write, out, 0);
    OWN(write_all, out, 1);
    to(file, own);
    OWN(read, in, 0);
    OWN(read_all, in, 1);
#if MPI_VERSION >= 4
    to(file, own);
    OWN(write_c, out, 0);
    OWN(write_all_c, out, 1);
    to(file, own);
    OWN(read_c, in, 0);
    OWN(read_all_c, in, 1);
#endif
}

/* Where the shared pointer is, only MPI knows. */
#define SHARED(name, buffer, together) \
    moved(MPI_File_##name(file, buffer, INTS, MPI_INT, &status), "MPI_File_" #name, -1, BYTES, &status, together)

static void shared_to_start(MPI_File file)
{
    must(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == MPI_SUCCESS, "seek_shared");
    tell("MPI_File_seek_shared", -1, 0, 0, 0, 1);
}

static void with_shared_pointer(MPI_File file)
{
    MPI_Offset at;
    shared_to_start(file);
    SHARED(write_shared, out, 0);
    SHARED(write_ordered, out, 1);
    shared_to_start(file);
    SHARED(read_shared, in, 0);
    SHARED(read_ordered, in, 1);
#if MPI_VERSION >= 4
    shared_to_start(file);
    SHARED(write_shared_c, out, 0);
    SHARED(write_ordered_c, out, 1);
    shared_to_start(file);
    SHARED(read_shared_c, in, 0);
    SHARED(read_ordered_c, in, 1);
#endif
    told(MPI_File_get_position_shared(file, &at), "MPI_File_get_position_shared", 0);
}

/* Each rank sees one of every `ranks` blocks of two integers, behind a header of 40 bytes. */
static void through_a_view(MPI_File file)
{
    enum { BLOCK = 2 * sizeof(int) };
    MPI_Datatype block, view;
    MPI_Type_contiguous(2, MPI_INT, &block);
    MPI_Type_create_resized(block, 0, ranks * BLOCK, &view);
    MPI_Type_commit(&view);
    MPI_Type_free(&block);
    MPI_Offset first = 40 + rank * BLOCK;
    must(MPI_File_set_view(file, first, MPI_INT, view, "native", MPI_INFO_NULL) == MPI_SUCCESS, "view");
    tell("MPI_File_set_view", first, 0, 0, 0, 1);
    MPI_Type_free(&view);
    long long extent = (10 - 1) * ranks * BLOCK + BLOCK;
    must(MPI_File_write_all(file, out, 20, MPI_INT, &status) == MPI_SUCCESS, "write_all");
    tell("MPI_File_write_all", first, 80, bytes_of(&status), extent, 1);
    must(MPI_File_write(file, out, 2, MPI_INT, &status) == MPI_SUCCESS, "write");
    tell("MPI_File_write", first + 10 * ranks * BLOCK, 8, bytes_of(&status), 8, 0);
    must(MPI_File_read_at(file, 1, in, 2, MPI_INT, &status) == MPI_SUCCESS, "read_at");
    tell("MPI_File_read_at", first + 4, 8, bytes_of(&status), (ranks - 1) * BLOCK + 8, 0);
    must(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == MPI_SUCCESS, "view");
    tell("MPI_File_set_view", 0, 0, 0, 0, 1);
}

/* The etype itself leaves bytes out: of each 16 it has the first four and the 13th. */
static void through_an_etype_with_holes(MPI_File file)
{
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 12};
    MPI_Datatype types[2] = {MPI_INT, MPI_CHAR}, both, etype;
    MPI_Type_create_struct(2, lengths, places, types, &both);
    MPI_Type_create_resized(both, 0, 16, &etype);
    MPI_Type_commit(&etype);
    MPI_Type_free(&both);
    must(MPI_File_set_view(file, 4096, etype, etype, "native", MPI_INFO_NULL) == MPI_SUCCESS, "view");
    tell("MPI_File_set_view", 4096, 0, 0, 0, 1);
    must(MPI_File_write_at(file, rank, out, 5, MPI_CHAR, &status) == MPI_SUCCESS, "write_at");
    tell("MPI_File_write_at", 4096 + 16 * rank, 5, bytes_of(&status), 13, 0);
    must(MPI_File_write_at(file, 10, out, 15, MPI_CHAR, &status) == MPI_SUCCESS, "write_at");
    tell("MPI_File_write_at", 4096 + 160, 15, bytes_of(&status), 45, 0);
    MPI_Type_free(&etype);
    must(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == MPI_SUCCESS, "view");
    tell("MPI_File_set_view", 0, 0, 0, 0, 1);
}

/* A view of one integer in each 4 bytes, but not the first: `place` bytes behind where the type begins. */
static void through_a_shifted_view(MPI_File file, MPI_Aint place)
{
    int one = 1;
    MPI_Datatype shifted, view;
    MPI_Type_create_hindexed(1, &one, &place, MPI_INT, &shifted);
    MPI_Type_create_resized(shifted, 0, sizeof(int), &view);
    MPI_Type_commit(&view);
    MPI_Type_free(&shifted);
    must(MPI_File_set_view(file, 1 << 16, MPI_INT, view, "native", MPI_INFO_NULL) == MPI_SUCCESS, "view");
    tell("MPI_File_set_view", 1 << 16, 0, 0, 0, 1);
    MPI_Type_free(&view);
    moved(MPI_File_write_at(file, 3, out, 5, MPI_INT, &status), "MPI_File_write_at", (1 << 16) + place + 12, 20, &status, 0);
    must(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == MPI_SUCCESS, "view");
    tell("MPI_File_set_view", 0, 0, 0, 0, 1);
}

/* Of each type the second integer is 12 bytes behind the first, and the next type begins 8 bytes behind it. */
static void through_interleaved_types(MPI_File file)
{
    MPI_Datatype vector, view;
    MPI_Type_vector(2, 1, 3, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 2 * sizeof(int), &view);
    MPI_Type_commit(&view);
    MPI_Type_free(&vector);
    must(MPI_File_set_view(file, 1 << 16, MPI_INT, view, "native", MPI_INFO_NULL) == MPI_SUCCESS, "view");
    tell("MPI_File_set_view", 1 << 16, 0, 0, 0, 1);
    MPI_Type_free(&view);
    must(MPI_File_write_at(file, 0, out, 2, MPI_INT, &status) == MPI_SUCCESS, "write_at");
    tell("MPI_File_write_at", 1 << 16, 8, bytes_of(&status), 16, 0);
    must(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == MPI_SUCCESS, "view");
    tell("MPI_File_set_view", 0, 0, 0, 0, 1);
}

/* In a file without positions a view begins where the shared pointer is, which only MPI knows. */
static void through_a_view_from_here(void)
{
    MPI_File file = opened("calls", MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
    must(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == MPI_SUCCESS, "view");
    tell("MPI_File_set_view", -1, 0, 0, 0, 1);
    closed(&file);
}

static void questions(MPI_File file)
{
    MPI_Offset offset, size;
    MPI_Group group;
    MPI_Info info;
    MPI_Datatype etype, filetype;
    MPI_Aint extent;
    char representation[MPI_MAX_DATAREP_STRING];
    int number;
    told(MPI_File_get_group(file, &group), "MPI_File_get_group", 0);
    told(MPI_File_get_amode(file, &number), "MPI_File_get_amode", 0);
    told(MPI_File_get_info(file, &info), "MPI_File_get_info", 0);
    told(MPI_File_set_info(file, info), "MPI_File_set_info", 1);
    told(MPI_File_get_view(file, &offset, &etype, &filetype, representation), "MPI_File_get_view", 0);
    told(MPI_File_get_byte_offset(file, 3, &offset), "MPI_File_get_byte_offset", 0);
    told(MPI_File_get_type_extent(file, MPI_INT, &extent), "MPI_File_get_type_extent", 0);
#if MPI_VERSION >= 4
    MPI_Count large;
    told(MPI_File_get_type_extent_c(file, MPI_INT, &large), "MPI_File_get_type_extent_c", 0);
#endif
    told(MPI_File_set_atomicity(file, 0), "MPI_File_set_atomicity", 1);
    told(MPI_File_get_atomicity(file, &number), "MPI_File_get_atomicity", 0);
    must(MPI_File_preallocate(file, 1 << 20) == MPI_SUCCESS, "preallocate");
    tell("MPI_File_preallocate", -1, 1 << 20, 0, 0, 1);
    must(MPI_File_set_size(file, 2 << 20) == MPI_SUCCESS, "set_size");
    tell("MPI_File_set_size", -1, 2 << 20, 0, 0, 1);
    told(MPI_File_get_size(file, &size), "MPI_File_get_size", 0);
    told(MPI_File_sync(file), "MPI_File_sync", 1);
    MPI_Group_free(&group);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_File file = opened("calls", MPI_MODE_CREATE | MPI_MODE_RDWR);
    with_offsets(file);
    with_pointers(file);
    with_shared_pointer(file);
    through_a_view(file);
    through_an_etype_with_holes(file);
    through_a_shifted_view(file, 4);
    through_a_shifted_view(file, 100);
    through_interleaved_types(file);
    questions(file);
    closed(&file);
    through_a_view_from_here();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        told(MPI_File_delete("calls", MPI_INFO_NULL), "MPI_File_delete", 0);
    return MPI_Finalize();
}
