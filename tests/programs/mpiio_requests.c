/* Every nonblocking and split call, and every way to complete one; with an argument without the collective nonblocking calls,
   which ROMIO in Open MPI lacks. */
#include "mpiio.h"

enum { INTS = 256, BYTES = INTS * sizeof(int), MOST = 20 };
static int out[MOST][INTS], in[MOST][INTS];
static MPI_Status status, statuses[MOST];
static MPI_Request requests[MOST];

static MPI_Offset place(int part)
{
    return (MPI_Offset)(part * ranks + rank) * BYTES;
}

static void end(const char *name, int completed)
{
    tell(name, -1, 0, completed, 0, 0);
}

/* Starts a transfer of this rank's, which is told as it will be recorded. */
static void start(MPI_File file, int part, MPI_Request *request)
{
    must(MPI_File_iwrite_at(file, place(part), out[part % MOST], INTS, MPI_INT, request) == MPI_SUCCESS, "iwrite_at");
    tell("MPI_File_iwrite_at", place(part), BYTES, BYTES, BYTES, 0);
}

static void start_all(MPI_File file, int count)
{
    for (int i = 0; i < count; i++)
        start(file, i, &requests[i]);
}

static void each_completion(MPI_File file)
{
    int flag = 0, index, done, indices[MOST];
    start(file, 0, requests);
    MPI_Wait(requests, &status);
    must(bytes_of(&status) == BYTES, "status");
    end("MPI_Wait", 1);

    start(file, 0, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    end("MPI_Wait", 1);

    start(file, 0, requests);
    while (!flag)
        MPI_Test(requests, &flag, &status);
    end("MPI_Test", 1);

    start_all(file, 3);
    MPI_Waitall(3, requests, statuses);
    must(bytes_of(&statuses[2]) == BYTES, "statuses");
    end("MPI_Waitall", 3);

    start_all(file, MOST);
    MPI_Waitall(MOST, requests, MPI_STATUSES_IGNORE);
    end("MPI_Waitall", MOST);

    start_all(file, 3);
    // MPICH 4.0 gives requests back twice if MPI_Testall finds some of several completed.
    usleep(200000);
    for (flag = 0; !flag;)
        MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    end("MPI_Testall", 3);

    start_all(file, 3);
    for (int i = 0; i < 3; i++) {
        MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
        end("MPI_Waitany", 1);
    }

    start(file, 0, requests);
    for (flag = 0; !flag;)
        MPI_Testany(1, requests, &index, &flag, &status);
    end("MPI_Testany", 1);

    start(file, 0, requests);
    MPI_Waitsome(1, requests, &done, indices, MPI_STATUSES_IGNORE);
    end("MPI_Waitsome", 1);

    start(file, 0, requests);
    for (done = 0; !done;)
        MPI_Testsome(1, requests, &done, indices, statuses);
    end("MPI_Testsome", 1);
}

/* Among requests that have nothing to do with files. */
static void among_others(MPI_File file)
{
    int there = 0, here = rank, partner = rank ^ 1;
    if (partner >= ranks)
        partner = MPI_PROC_NULL;
    MPI_Irecv(&there, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, &requests[0]);
    start(file, 1, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    start(file, 3, &requests[3]);
    MPI_Isend(&here, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, &requests[4]);
    MPI_Waitall(5, requests, statuses);
    must(bytes_of(&statuses[3]) == BYTES, "status behind others");
    end("MPI_Waitall", 2);
}

/* Starts it and waits. */
#define WAITED(call, name, at, extent, together)                 \
    do {                                                         \
        must(call == MPI_SUCCESS, name);                         \
        tell(name, at, BYTES, BYTES, extent, together);          \
        MPI_Wait(requests, &status);                             \
        must(bytes_of(&status) == BYTES, name);                  \
        end("MPI_Wait", 1);                                      \
    } while (0)
#define I(name, buffer, ...) MPI_File_##name(file, buffer, INTS, MPI_INT, requests), "MPI_File_" #name
#define I_AT(name, buffer) MPI_File_##name(file, place(1), buffer, INTS, MPI_INT, requests), "MPI_File_" #name

static void to_own(MPI_File file)
{
    must(MPI_File_seek(file, place(0), MPI_SEEK_SET) == MPI_SUCCESS, "seek");
    tell("MPI_File_seek", -1, place(0), 0, 0, 0);
}

static void shared_to_start(MPI_File file)
{
    must(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == MPI_SUCCESS, "seek_shared");
    tell("MPI_File_seek_shared", -1, 0, 0, 0, 1);
}

#define EXPANDED(macro, ...) macro(__VA_ARGS__)

static void each_start(MPI_File file)
{
    EXPANDED(WAITED, I_AT(iwrite_at, out[0]), place(1), BYTES, 0);
    EXPANDED(WAITED, I_AT(iread_at, in[0]), place(1), BYTES, 0);
    to_own(file);
    EXPANDED(WAITED, I(iwrite, out[0]), place(0), BYTES, 0);
    to_own(file);
    EXPANDED(WAITED, I(iread, in[0]), place(0), BYTES, 0);
    shared_to_start(file);
    EXPANDED(WAITED, I(iwrite_shared, out[0]), -1, BYTES, 0);
    shared_to_start(file);
    EXPANDED(WAITED, I(iread_shared, in[0]), -1, BYTES, 0);
#if MPI_VERSION >= 4
    EXPANDED(WAITED, I_AT(iwrite_at_c, out[0]), place(1), BYTES, 0);
    EXPANDED(WAITED, I_AT(iread_at_c, in[0]), place(1), BYTES, 0);
    to_own(file);
    EXPANDED(WAITED, I(iwrite_c, out[0]), place(0), BYTES, 0);
    to_own(file);
    EXPANDED(WAITED, I(iread_c, in[0]), place(0), BYTES, 0);
    shared_to_start(file);
    EXPANDED(WAITED, I(iwrite_shared_c, out[0]), -1, BYTES, 0);
    shared_to_start(file);
    EXPANDED(WAITED, I(iread_shared_c, in[0]), -1, BYTES, 0);
#endif
}

static void each_start_together(MPI_File file)
{
    EXPANDED(WAITED, I_AT(iwrite_at_all, out[0]), place(1), BYTES, 1);
    EXPANDED(WAITED, I_AT(iread_at_all, in[0]), place(1), BYTES, 1);
    to_own(file);
    EXPANDED(WAITED, I(iwrite_all, out[0]), place(0), BYTES, 1);
    to_own(file);
    EXPANDED(WAITED, I(iread_all, in[0]), place(0), BYTES, 1);
#if MPI_VERSION >= 4
    EXPANDED(WAITED, I_AT(iwrite_at_all_c, out[0]), place(1), BYTES, 1);
    EXPANDED(WAITED, I_AT(iread_at_all_c, in[0]), place(1), BYTES, 1);
    to_own(file);
    EXPANDED(WAITED, I(iwrite_all_c, out[0]), place(0), BYTES, 1);
    to_own(file);
    EXPANDED(WAITED, I(iread_all_c, in[0]), place(0), BYTES, 1);
#endif
}

/* A split collective, and its end. */
#define SPLIT(begins, ends, at)                                                       \
    do {                                                                              \
        must(begins == MPI_SUCCESS, #begins);                                         \
        must(ends == MPI_SUCCESS, #ends);                                             \
        char name[64];                                                                \
        snprintf(name, sizeof name, "%.*s", (int)strcspn(#begins, "("), #begins);     \
        tell(name, at, BYTES, bytes_of(&status), BYTES, 1);                           \
        snprintf(name, sizeof name, "%.*s", (int)strcspn(#ends, "("), #ends);         \
        tell(name, -1, 0, 0, 0, 0);                                                   \
    } while (0)

static void split_collectives(MPI_File file)
{
    SPLIT(MPI_File_write_at_all_begin(file, place(1), out[0], INTS, MPI_INT), MPI_File_write_at_all_end(file, out[0], &status), place(1));
    SPLIT(MPI_File_read_at_all_begin(file, place(1), in[0], INTS, MPI_INT), MPI_File_read_at_all_end(file, in[0], &status), place(1));
    to_own(file);
    SPLIT(MPI_File_write_all_begin(file, out[0], INTS, MPI_INT), MPI_File_write_all_end(file, out[0], &status), place(0));
    to_own(file);
    SPLIT(MPI_File_read_all_begin(file, in[0], INTS, MPI_INT), MPI_File_read_all_end(file, in[0], &status), place(0));
    shared_to_start(file);
    SPLIT(MPI_File_write_ordered_begin(file, out[0], INTS, MPI_INT), MPI_File_write_ordered_end(file, out[0], &status), -1);
    shared_to_start(file);
    SPLIT(MPI_File_read_ordered_begin(file, in[0], INTS, MPI_INT), MPI_File_read_ordered_end(file, in[0], &status), -1);
#if MPI_VERSION >= 4
    SPLIT(MPI_File_write_at_all_begin_c(file, place(1), out[0], INTS, MPI_INT), MPI_File_write_at_all_end(file, out[0], &status), place(1));
    SPLIT(MPI_File_read_at_all_begin_c(file, place(1), in[0], INTS, MPI_INT), MPI_File_read_at_all_end(file, in[0], &status), place(1));
    to_own(file);
    SPLIT(MPI_File_write_all_begin_c(file, out[0], INTS, MPI_INT), MPI_File_write_all_end(file, out[0], &status), place(0));
    to_own(file);
    SPLIT(MPI_File_read_all_begin_c(file, in[0], INTS, MPI_INT), MPI_File_read_all_end(file, in[0], &status), place(0));
    shared_to_start(file);
    SPLIT(MPI_File_write_ordered_begin_c(file, out[0], INTS, MPI_INT), MPI_File_write_ordered_end(file, out[0], &status), -1);
    shared_to_start(file);
    SPLIT(MPI_File_read_ordered_begin_c(file, in[0], INTS, MPI_INT), MPI_File_read_ordered_end(file, in[0], &status), -1);
#endif
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_File file = opened("requests", MPI_MODE_CREATE | MPI_MODE_RDWR);
    must(MPI_File_preallocate(file, 1 << 20) == MPI_SUCCESS, "preallocate");
    tell("MPI_File_preallocate", -1, 1 << 20, 0, 0, 1);
    each_completion(file);
    among_others(file);
    each_start(file);
    if (argc == 1)
        each_start_together(file);
    split_collectives(file);
    closed(&file);
    return MPI_Finalize();
}
