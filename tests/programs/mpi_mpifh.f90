! MPI by mpif.h. Every rank writes 10 + rank lines of 8 bytes to lines.RANK; with the argument `thread` MPI_Init_thread starts MPI,
! and with the argument `abort` rank 1 ends it by MPI_Abort.
program lines_mpifh
  implicit none
  include 'mpif.h'
  integer :: rank, error, provided, line
  character(len=16) :: name, how

  how = ' '
  if (command_argument_count() > 0) call get_command_argument(1, how)
  if (how == 'thread') then
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  else
    call MPI_Init(error)
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  write (name, '("lines.", i0)') rank
  open (unit=10, file=name, status='replace', action='write')
  do line = 1, 10 + rank
    write (10, '(i7)') line
  end do
  close (10)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (how == 'abort' .and. rank == 1) call MPI_Abort(MPI_COMM_WORLD, 7, error)
  call MPI_Finalize(error)
end program lines_mpifh
