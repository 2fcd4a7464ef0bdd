// Every rank writes a file of its own, through a stream.
#include <fstream>
#include <mpi.h>
#include <string>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::ofstream("stream." + std::to_string(rank)) << std::string(1000, 'x');
    return MPI_Finalize();
}
