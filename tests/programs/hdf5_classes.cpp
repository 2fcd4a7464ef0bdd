// The C++ layer of HDF5 calls the functions of C.
#include <H5Cpp.h>
#include <cstdio>

int main()
{
    {
        H5::H5File file("data.h5", H5F_ACC_TRUNC);
        std::puts("call H5Fcreate 0 0 hdf5_open{object=\"/\" flags=0x2 driver=\"sec2\" vol=\"native\" metadata_reads=0 "
                  "metadata_writes=0}");
        hsize_t size = 100;
        H5::DataSpace space(1, &size);
        static float values[100];
        H5::DataSet dataset = file.createDataSet("wind", H5::PredType::NATIVE_DOUBLE, space);
        std::puts("call H5Dcreate2 0 0 dataset{object=\"/wind\" stored=8 layout=\"contiguous\" chunk=0 filters=-}");
        dataset.write(values, H5::PredType::NATIVE_FLOAT);
        std::puts("call H5Dwrite 400 0 array{object=\"/wind\" elements=100 element=4 stored=8 converted=1 selection=\"all\" "
                  "layout=\"contiguous\" chunk=0 filters=- collective=0 done=-}");
    }
    std::puts("call H5Dclose 0 0 object{object=\"/wind\"}");
    std::puts("call H5Fclose 0 0 object{object=\"/\"}");
    return 0;
}
