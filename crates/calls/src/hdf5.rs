//! HDF5. One row is for every version, serial or parallel: a name with a number at its end is what the linker sees of a
//! function that has changed (`H5Dopen` is `H5Dopen1` or `H5Dopen2`).

calls! { Hdf5;
    "HDF5: files" {
        H5Fcreate(path: *const c_char, flags: c_uint, fcpl: hid_t, fapl: hid_t) -> hid_t => Hdf5 Open, h5_file(path, flags, fapl);
        H5Fopen(path: *const c_char, flags: c_uint, fapl: hid_t) -> hid_t => Hdf5 Open, h5_file(path, flags, fapl);
        H5Fclose(file: hid_t) -> herr_t => Hdf5 Close, h5_close(file);
    }
    "HDF5: datasets" {
        H5Dcreate2(loc: hid_t, name: *const c_char, ty: hid_t, space: hid_t, lcpl: hid_t, dcpl: hid_t, dapl: hid_t) -> hid_t => Hdf5 Open, h5_dataset(loc, NAMED);
        H5Dopen2(loc: hid_t, name: *const c_char, dapl: hid_t) -> hid_t => Hdf5 Open, h5_dataset(loc, NAMED);
        H5Dclose(dataset: hid_t) -> herr_t => Hdf5 Close, h5_close(dataset);
        H5Dread(dataset: hid_t, memory_type: hid_t, memory_space: hid_t, file_space: hid_t, dxpl: hid_t, buf: *mut c_void) -> herr_t => Hdf5 Read, h5_transfer(dataset, memory_type, memory_space, file_space, dxpl);
        H5Dwrite(dataset: hid_t, memory_type: hid_t, memory_space: hid_t, file_space: hid_t, dxpl: hid_t, buf: *const c_void) -> herr_t => Hdf5 Write, h5_transfer(dataset, memory_type, memory_space, file_space, dxpl);
    }
}
