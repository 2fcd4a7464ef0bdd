/* One archive of a static MPI: what a program calls itself. As in MPICH and Open MPI each function has two names. */
#define BOTH(name) extern __typeof__(P##name) name __attribute__((weak, alias("P" #name)));

int PMPI_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}
BOTH(MPI_Init)

int PMPI_Finalize(void)
{
    return 0;
}
BOTH(MPI_Finalize)
