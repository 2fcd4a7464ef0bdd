/* What goes wrong: files that are not there, calls that a file does not allow, a handle that was closed, requests that nobody
   waits for. With the argument `fatal` the first error ends the program. */
#include "mpiio.h"

static int number = 7;

static void say(const char *what, int code)
{
    int class;
    char text[MPI_MAX_ERROR_STRING], line[MPI_MAX_ERROR_STRING + 80];
    MPI_Error_class(code, &class);
    int length = 0;
    MPI_Error_string(class, text, &length);
    int n = snprintf(line, sizeof line, "%d %s: %s\n", rank, what, code == MPI_SUCCESS ? "no error" : text);
    must(write(1, line, n) == n, "stdout");
}

static void errors(void)
{
    MPI_File file = MPI_FILE_NULL;
    say("open", MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    say("delete", MPI_File_delete("no.such.file", MPI_INFO_NULL));
    say("null", MPI_File_write(MPI_FILE_NULL, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    say("null and no datatype", MPI_File_write(MPI_FILE_NULL, &number, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
    char name[32];
    snprintf(name, sizeof name, "wrong.%d", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    say("read", MPI_File_read_at(file, 0, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    say("count", MPI_File_write_at(file, 0, &number, -1, MPI_INT, MPI_STATUS_IGNORE));
    say("datatype", MPI_File_write_at(file, 0, &number, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
    say("offset", MPI_File_write_at(file, -1, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    say("good", MPI_File_write_at(file, 8, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_File_close(&file);
    say("closed", MPI_File_sync(file));
}

/* The type of a transfer goes before it has ended; requests are freed, or forgotten. */
static void requests(void)
{
    MPI_File file;
    MPI_Request kept, freed, forgotten;
    MPI_Datatype pair;
    char name[32];
    snprintf(name, sizeof name, "requests.%d", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    static int numbers[2];
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_File_iwrite_at(file, 0, numbers, 1, pair, &kept);
    MPI_Type_free(&pair);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, 100, numbers, 2, MPI_INT, &freed);
    MPI_Request_free(&freed);
    MPI_File_iwrite_at(file, 200, numbers, 2, MPI_INT, &forgotten);
    usleep(100000);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc > 1) {
        MPI_File file;
        MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
        MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    }
    errors();
    requests();
    return MPI_Finalize();
}
