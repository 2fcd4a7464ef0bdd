! MPI's start and end, and nothing else of it.
program nothing
  implicit none
  include 'mpif.h'
  integer :: error

  call MPI_Init(error)
  if (error == MPI_SUCCESS) print '(a)', 'started'
  call MPI_Finalize(error)
end program nothing
