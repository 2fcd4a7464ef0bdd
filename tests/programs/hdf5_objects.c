/* Groups, attributes, links and objects of HDF5, and what reads and writes a dataset in other ways. Each call is told as the
 * trace must have it. */
#include "hdf5_told.h"

static herr_t each_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)name, (void)info, (void)data;
    /* A call inside a call, on an id that HDF5 made for it. */
    told("H5Lexists", 0, H5Lexists(group, "inner", H5P_DEFAULT), "");
    return 0;
}

static void groups(hid_t file)
{
    hid_t outer = H5Gcreate2(file, "outer", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(outer > 0, "H5Gcreate2");
    told("H5Gcreate2", 0, 0, "object{object=\"/outer\"}");
    hid_t inner = H5Gcreate2(outer, "inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    told("H5Gcreate2", 0, 0, "object{object=\"/outer/inner\"}");
    told("H5Gclose", 0, H5Gclose(inner), "object{object=\"/outer/inner\"}");
    told("H5Lexists", 0, H5Lexists(outer, "absent", H5P_DEFAULT), "object{object=\"/outer/absent\"}");
    told("H5Lexists", 0, H5Lexists(outer, "/outer", H5P_DEFAULT), "object{object=\"/outer\"}");
    told("H5Lcreate_soft", 0, H5Lcreate_soft("/outer/inner", file, "soft", H5P_DEFAULT, H5P_DEFAULT), "object{object=\"/soft\"}");
    inner = H5Oopen(file, "soft", H5P_DEFAULT);
    told("H5Oopen", 0, 0, "object{object=\"/soft\"}");
    told("H5Oclose", 0, H5Oclose(inner), "object{object=\"/soft\"}");
    H5L_info_t info;
    told(NAME(H5Lget_info), 0, H5Lget_info(outer, "inner", &info, H5P_DEFAULT), "object{object=\"/outer/inner\"}");
    inner = H5Oopen_by_addr(file, info.u.address);
    told("H5Oopen_by_addr", 0, 0, "");
    told("H5Oclose", 0, H5Oclose(inner), "");
    told(NAME(H5Literate), 0, 0, "object{object=\"/outer\"}");
    must(H5Literate(outer, H5_INDEX_NAME, H5_ITER_INC, NULL, each_link, NULL) == 0, "H5Literate");
    told("H5Lmove", 0, H5Lmove(outer, "inner", outer, "moved", H5P_DEFAULT, H5P_DEFAULT), "object{object=\"/outer/inner\"}");
    told("H5Ldelete", 0, H5Ldelete(file, "/outer/moved", H5P_DEFAULT), "object{object=\"/outer/moved\"}");

    /* Two hold the group open. */
    H5Iinc_ref(outer);
    told("H5Gclose", 0, H5Gclose(outer), "object{object=\"/outer\"}");
    told("H5Gflush", 0, H5Gflush(outer), "object{object=\"/outer\"}");
    told("H5Idec_ref", 0, H5Idec_ref(outer), "object{object=\"/outer\"}");
}

#define ATTRIBUTE(elements, element, converted) \
    "array{object=\"/data@units\" elements=" elements " element=" element " stored=4 converted=" converted \
    " selection=\"all\" layout=- chunk=0 filters=- collective=0 done=-}"

static void attributes(hid_t dataset)
{
    int values[3] = {1, 2, 3};
    double doubles[3];
    hsize_t three = 3;
    hid_t space = H5Screate_simple(1, &three, NULL);
    hid_t units = H5Acreate2(dataset, "units", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    must(units > 0, "H5Acreate2");
    told("H5Acreate2", 0, 0, "object{object=\"/data@units\"}");
    told("H5Awrite", 12, H5Awrite(units, H5T_NATIVE_INT, values), ATTRIBUTE("3", "4", "0"));
    told("H5Aread", 24, H5Aread(units, H5T_NATIVE_DOUBLE, doubles), ATTRIBUTE("3", "8", "1"));
    told("H5Aclose", 0, H5Aclose(units), "object{object=\"/data@units\"}");
    told("H5Aexists", 0, H5Aexists(dataset, "units"), "object{object=\"/data@units\"}");
    units = H5Aopen_by_name(dataset, ".", "units", H5P_DEFAULT, H5P_DEFAULT);
    told("H5Aopen_by_name", 0, 0, "object{object=\"/data@units\"}");
    told("H5Aclose", 0, H5Aclose(units), "object{object=\"/data@units\"}");
    told("H5Arename", 0, H5Arename(dataset, "units", "old"), "object{object=\"/data@units\"}");
    told("H5Adelete", 0, H5Adelete(dataset, "old"), "object{object=\"/data@old\"}");
    H5Sclose(space);
}

#define DATASET "dataset{object=\"/data\" stored=4 layout=\"chunked\" chunk=64 filters=-}"

static void datasets(hid_t file)
{
    hsize_t size = 16, most = H5S_UNLIMITED, chunk = 16, next = 32;
    int values[32] = {0};
    hid_t space = H5Screate_simple(1, &size, &most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    hid_t dataset = H5Dcreate2(file, "data", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    told("H5Dcreate2", 0, 0, DATASET);
    told("H5Dset_extent", 0, H5Dset_extent(dataset, &next), "object{object=\"/data\"}");
    told("H5Dwrite", 128, H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
         "array{object=\"/data\" elements=32 element=4 stored=4 converted=0 selection=\"all\" layout=\"chunked\" chunk=64 "
         "filters=- collective=0 done=-}");
    hsize_t at = 16;
    uint32_t filters = 0;
    told("H5Dwrite_chunk", 64, H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &at, 64, values), DATASET);
    told(NAME(H5Dread_chunk), 64, H5Dread_chunk(dataset, H5P_DEFAULT, &at, &filters, values), DATASET);
    told("H5Dflush", 0, H5Dflush(dataset), "object{object=\"/data\"}");
    attributes(dataset);
    told("H5Dclose", 0, H5Dclose(dataset), "object{object=\"/data\"}");
    told("H5Ocopy", 0, H5Ocopy(file, "data", file, "copy", H5P_DEFAULT, H5P_DEFAULT), "object{object=\"/data\"}");

    hid_t compact = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(compact, H5D_COMPACT);
    dataset = H5Dcreate_anon(file, H5T_NATIVE_INT, space, dcpl, H5P_DEFAULT);
    told("H5Dcreate_anon", 0, 0, "dataset{object=- stored=4 layout=\"chunked\" chunk=64 filters=-}");
    told("H5Olink", 0, H5Olink(dataset, file, "linked", H5P_DEFAULT, H5P_DEFAULT), "object{object=\"/linked\"}");
    told("H5Dclose", 0, H5Dclose(dataset), "");
    hsize_t four = 4;
    hid_t small = H5Screate_simple(1, &four, NULL);
    dataset = H5Dcreate2(file, "compact", H5T_STD_I16BE, small, H5P_DEFAULT, compact, H5P_DEFAULT);
    told("H5Dcreate2", 0, 0, "dataset{object=\"/compact\" stored=2 layout=\"compact\" chunk=0 filters=-}");
    told("H5Dclose", 0, H5Dclose(dataset), "object{object=\"/compact\"}");
    H5Sclose(space);
    H5Sclose(small);
    H5Pclose(dcpl);
    H5Pclose(compact);
}

/* A call that fails is recorded with what is known without a question. */
static void failure(hid_t file)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    must(H5Gopen2(file, "absent", H5P_DEFAULT) < 0, "no H5Gopen2");
    long errors = H5Eget_num(H5E_DEFAULT);
    told("H5Gopen2", 0, -1, "");
    printf("errors %ld\n", errors);
}

int main(void)
{
    hid_t file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    must(file > 0, "H5Fcreate");
    told("H5Fcreate", 0, 0, OPENED("2"));
    groups(file);
    datasets(file);
    told("H5Fflush", 0, H5Fflush(file, H5F_SCOPE_LOCAL), "object{object=\"/\"}");
    failure(file);
    told("H5Fclose", 0, H5Fclose(file), "object{object=\"/\"}");
    told("H5Fis_hdf5", 0, H5Fis_hdf5("data.h5"), "");
    told("H5close", 0, H5close(), "");
    return 0;
}
