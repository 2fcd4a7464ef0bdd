! The Fortran layer of HDF5 calls the functions of C.
program hdf5_fortran
    use hdf5
    implicit none
    integer(hid_t) :: file, space, dataset
    integer(hsize_t) :: sizes(2) = [10, 20]
    real(8) :: values(10, 20)
    integer :: error

    values = 1.5d0
    call h5open_f(error)
    call h5fcreate_f('data.h5', H5F_ACC_TRUNC_F, file, error)
    call h5screate_simple_f(2, sizes, space, error)
    call h5dcreate_f(file, 'temperature', H5T_NATIVE_DOUBLE, space, dataset, error)
    call h5dwrite_f(dataset, H5T_NATIVE_DOUBLE, values, sizes, error)
    call h5dclose_f(dataset, error)
    call h5sclose_f(space, error)
    call h5fclose_f(file, error)
    call h5close_f(error)
    print '(a)', 'call H5Fcreate 0 0 hdf5_open{object="/" flags=0x2 driver="sec2" vol="native" metadata_reads=0 metadata_writes=0}'
    print '(a)', 'call H5Dcreate2 0 0 dataset{object="/temperature" stored=8 layout="contiguous" chunk=0 filters=-}'
    print '(a)', 'call H5Dwrite 1600 0 array{object="/temperature" elements=200 element=8 stored=8 converted=0 ' // &
                 'selection="all" layout="contiguous" chunk=0 filters=- collective=0 done=-}'
    print '(a)', 'call H5Dclose 0 0 object{object="/temperature"}'
    print '(a)', 'call H5Fclose 0 0 object{object="/"}'
end program
