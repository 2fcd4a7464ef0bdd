! MPI-IO by include 'mpif.h'; tells its calls as mpiio.h does.
program mpiio_mpifh
  implicit none
  include 'mpif.h'
  integer, parameter :: ints = 100, bytes = 400
  integer :: rank, ranks, error, numbers(ints)
  integer(kind=MPI_OFFSET_KIND) :: at
  integer :: file
  integer :: status(MPI_STATUS_SIZE)
  integer :: request

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  numbers = rank
  at = rank * bytes
  call MPI_File_open(MPI_COMM_WORLD, 'fortran', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
  call tell('MPI_File_open', -1, 0, 0, 0, 1)
  call MPI_File_write_at(file, at, numbers, ints, MPI_INTEGER, status, error)
  call tell('MPI_File_write_at', rank * bytes, bytes, bytes, bytes, 0)
  call MPI_File_write_at_all(file, at, numbers, ints, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call tell('MPI_File_write_at_all', rank * bytes, bytes, bytes, bytes, 1)
  call MPI_File_iread_at(file, at, numbers, ints, MPI_INTEGER, request, error)
  call tell('MPI_File_iread_at', rank * bytes, bytes, bytes, bytes, 0)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call tell('MPI_Wait', -1, 0, 1, 0, 0)
  call MPI_File_close(file, error)
  call tell('MPI_File_close', -1, 0, 0, 0, 1)
  call MPI_Finalize(error)
contains
  subroutine tell(name, offset, length, ret, extent, together)
    character(len=*), intent(in) :: name
    integer, intent(in) :: offset, length, ret, extent, together
    write (*, '("call ", i0, 1x, a, 5(1x, i0))') rank, name, offset, length, ret, extent, together
  end subroutine tell
end program mpiio_mpifh
