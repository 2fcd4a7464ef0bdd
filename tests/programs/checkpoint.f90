! A simulation that writes its state with HDF5, all ranks together into one file.
subroutine write_checkpoint(name, rank, ranks, n, state)
    use hdf5
    use mpi, only: MPI_COMM_WORLD, MPI_INFO_NULL
    implicit none
    character(len=*), intent(in) :: name
    integer, intent(in) :: rank, ranks, n
    real(8), intent(in) :: state(n)
    integer(HID_T) :: plist, file, space, memory, set, transfer
    integer(HSIZE_T) :: all(1), own(1), first(1)
    character(len=8), parameter :: fields(2) = ['density ', 'pressure']
    integer :: error, field

    all = int(n, HSIZE_T) * ranks
    own = n
    first = int(n, HSIZE_T) * rank
    call h5pcreate_f(H5P_FILE_ACCESS_F, plist, error)
    call h5pset_fapl_mpio_f(plist, MPI_COMM_WORLD, MPI_INFO_NULL, error)
    call h5fcreate_f(name, H5F_ACC_TRUNC_F, file, error, access_prp=plist)
    call h5pclose_f(plist, error)
    call h5pcreate_f(H5P_DATASET_XFER_F, transfer, error)
    call h5pset_dxpl_mpio_f(transfer, H5FD_MPIO_COLLECTIVE_F, error)
    do field = 1, 2
        call h5screate_simple_f(1, all, space, error)
        call h5screate_simple_f(1, own, memory, error)
        call h5dcreate_f(file, trim(fields(field)), H5T_NATIVE_DOUBLE, space, set, error)
        call h5sselect_hyperslab_f(space, H5S_SELECT_SET_F, first, own, error)
        call h5dwrite_f(set, H5T_NATIVE_DOUBLE, state, own, error, &
            mem_space_id=memory, file_space_id=space, xfer_prp=transfer)
        call h5dclose_f(set, error)
        call h5sclose_f(memory, error)
        call h5sclose_f(space, error)
    end do
    call h5pclose_f(transfer, error)
    call h5fclose_f(file, error)
end subroutine
