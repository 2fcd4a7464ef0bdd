/* Writes between the start and the end of an MPI that is none. Link it so that that one's functions can be seen (-rdynamic). */
#include <fcntl.h>
#include <unistd.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);

int main(int argc, char **argv)
{
    if (MPI_Init(&argc, &argv) != 0)
        return 1;
    int fd = open("written", O_WRONLY | O_CREAT, 0600);
    if (write(fd, "something", 9) != 9)
        return 2;
    return MPI_Finalize();
}
