program simulation
    use hdf5
    use mpi
    implicit none
    integer, parameter :: n = 200000
    integer :: rank, ranks, step, error
    real(8) :: state(n)
    character(len=16) :: name

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call h5open_f(error)
    do step = 1, 2
        state = rank + step
        write (name, '(a, i0, a)') 'chk', step, '.h5'
        call write_checkpoint(trim(name), rank, ranks, n, state)
    end do
    call h5close_f(error)
    call MPI_Finalize(error)
end program
