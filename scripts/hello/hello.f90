! Every rank writes a file of its own with formatted and unformatted records.
program hello
  use mpi
  implicit none
  integer :: rank, ranks, error, i
  character(len=32) :: name

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  write (name, '(a, i0, a)') 'hello-f90.', rank, '.out'
  open (unit=10, file=name, access='stream', form='unformatted', status='replace')
  do i = 1, 4
     write (10) spread(real(rank, kind=8), 1, 1024)
     flush (10)
  end do
  close (10)
  if (rank == 0) print '(a, i0, a)', 'hello-f90: ', ranks, ' ranks wrote a file each'
  call MPI_Finalize(error)
end program hello
