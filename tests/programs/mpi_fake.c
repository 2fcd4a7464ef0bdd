/* An MPI of its own making, for uses_fake_mpi.c: it says of itself what TEXT, ABI and MARK say, and ends the program if more
   is asked of it. */
#include <stdlib.h>
#include <string.h>

int MPI_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

int PMPI_Init(int *argc, char ***argv)
{
    return MPI_Init(argc, argv);
}

int PMPI_Finalize(void)
{
    return 0;
}

int MPI_Finalize(void)
{
    return PMPI_Finalize();
}

int PMPI_Get_library_version(char *text, int *length)
{
    strcpy(text, TEXT);
    *length = (int)strlen(text);
    return 0;
}

#ifdef ABI
int PMPI_Abi_get_version(int *major, int *minor)
{
    *major = ABI, *minor = 0;
    return 0;
}
#endif

#ifdef MARK
int MPIR_F08_MPI_STATUS_IGNORE_OBJ;
#endif

int PMPI_Comm_rank(void *comm, int *rank)
{
    (void)comm, (void)rank;
    abort();
}

int PMPI_Comm_create_keyval(void)
{
    abort();
}
