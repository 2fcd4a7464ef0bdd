! PnetCDF from Fortran: nfmpi_ arrives at functions of C. (No module is used: not every installation has it.)
program pnetcdf_fortran
  use mpi
  implicit none
  integer, parameter :: clobber = 0, double = 6
  integer, external :: nfmpi_create, nfmpi_def_dim, nfmpi_def_var, nfmpi_enddef, nfmpi_put_vara_double_all, nfmpi_close
  integer, external :: nfmpi_iput_vara_double, nfmpi_wait_all
  integer :: ncid, dims(1), var, code, rank, ranks, requests(1), statuses(1)
  integer(kind=MPI_OFFSET_KIND) :: start(1), count(1), length
  real(8) :: values(5)
  character(len=200) :: path
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call get_command_argument(1, path)
  values = rank
  length = 5 * ranks
  start = 5 * rank + 1
  count = 5
  call good(nfmpi_create(MPI_COMM_WORLD, trim(path), clobber, MPI_INFO_NULL, ncid))
  call good(nfmpi_def_dim(ncid, 'x', length, dims(1)))
  call good(nfmpi_def_var(ncid, 'field', double, 1, dims, var))
  call good(nfmpi_enddef(ncid))
  call good(nfmpi_put_vara_double_all(ncid, var, start, count, values))
  call good(nfmpi_iput_vara_double(ncid, var, start, count, values, requests(1)))
  call good(nfmpi_wait_all(ncid, 1, requests, statuses))
  call good(nfmpi_close(ncid))
  call MPI_Finalize(code)
contains
  subroutine good(code)
    integer, intent(in) :: code
    if (code /= 0) stop 1
  end subroutine
end program
