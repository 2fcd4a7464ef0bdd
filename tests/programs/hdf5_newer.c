/* What HDF5 has since 1.14 and 2.0: event sets, several datasets in one call, chunks with their size. Each call is told as
 * the trace must have it. */
#include "hdf5_told.h"

#define PLACE const char *, const char *, unsigned
#define HERE "newer.c", "main", 1
hid_t H5EScreate(void);
herr_t H5ESwait(hid_t, uint64_t, size_t *, hbool_t *);
herr_t H5ESget_count(hid_t, size_t *);
herr_t H5ESclose(hid_t);
hid_t H5Fcreate_async(PLACE, const char *, unsigned, hid_t, hid_t, hid_t);
hid_t H5Fopen_async(PLACE, const char *, unsigned, hid_t, hid_t);
herr_t H5Fflush_async(PLACE, hid_t, H5F_scope_t, hid_t);
herr_t H5Fclose_async(PLACE, hid_t, hid_t);
hid_t H5Gcreate_async(PLACE, hid_t, const char *, hid_t, hid_t, hid_t, hid_t);
herr_t H5Gclose_async(PLACE, hid_t, hid_t);
hid_t H5Dcreate_async(PLACE, hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t, hid_t);
hid_t H5Dopen_async(PLACE, hid_t, const char *, hid_t, hid_t);
herr_t H5Dset_extent_async(PLACE, hid_t, const hsize_t *, hid_t);
herr_t H5Dwrite_async(PLACE, hid_t, hid_t, hid_t, hid_t, hid_t, const void *, hid_t);
herr_t H5Dread_async(PLACE, hid_t, hid_t, hid_t, hid_t, hid_t, void *, hid_t);
herr_t H5Dclose_async(PLACE, hid_t, hid_t);
herr_t H5Dwrite_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, const void **);
herr_t H5Dread_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, void **);
herr_t H5Dwrite_multi_async(PLACE, size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, const void **, hid_t);
herr_t H5Dread_multi_async(PLACE, size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, void **, hid_t);
hid_t H5Acreate_async(PLACE, hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t);
hid_t H5Aopen_async(PLACE, hid_t, const char *, hid_t, hid_t);
herr_t H5Awrite_async(PLACE, hid_t, hid_t, const void *, hid_t);
herr_t H5Aread_async(PLACE, hid_t, hid_t, void *, hid_t);
herr_t H5Aexists_async(PLACE, hid_t, const char *, hbool_t *, hid_t);
herr_t H5Aclose_async(PLACE, hid_t, hid_t);
herr_t H5Lexists_async(PLACE, hid_t, const char *, hbool_t *, hid_t, hid_t);
hid_t H5Oopen_async(PLACE, hid_t, const char *, hid_t, hid_t);
herr_t H5Oclose_async(PLACE, hid_t, hid_t);
#if HDF5 >= 200
herr_t H5Dread_chunk2(hid_t, hid_t, const hsize_t *, uint32_t *, void *, size_t *);
#endif

enum { ROWS = 64, COLUMNS = 32, ALL = ROWS * COLUMNS };
static double doubles[ALL];
static int ints[ALL];

#define STORED "stored=8 layout=\"chunked\" chunk=4096 filters=-"
#define MADE(path) "dataset{object=\"" path "\" " STORED "}"
#define OBJECT(path) "object{object=\"" path "\"}"

/* A transfer of one dataset. */
static const char *array(char *line, const char *path, int elements, int element, const char *selection)
{
    sprintf(line,
            "array{object=\"%s\" elements=%d element=%d stored=8 converted=%d selection=\"%s\" layout=\"chunked\" "
            "chunk=4096 filters=- collective=0 done=-}",
            path, elements, element, element != 8, selection);
    return line;
}

static hid_t create(hid_t file, const char *name, hid_t events)
{
    hsize_t size[] = {ROWS / 2, COLUMNS}, all[] = {ROWS, COLUMNS}, most[] = {H5S_UNLIMITED, COLUMNS}, chunk[] = {16, 32};
    hid_t space = H5Screate_simple(2, size, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    hid_t dataset = H5Dcreate_async(HERE, file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT, events);
    must(dataset > 0, "H5Dcreate_async");
    /* An id has 64 bits: its upper half is not empty. */
    must(dataset >> 32 != 0, "an id of 64 bits");
    char made[128], object[64];
    sprintf(made, "dataset{object=\"/%s\" " STORED "}", name);
    sprintf(object, "object{object=\"/%s\"}", name);
    told("H5Dcreate_async", 0, 0, made);
    told("H5Dset_extent_async", 0, H5Dset_extent_async(HERE, dataset, all, events), object);
    H5Sclose(space);
    H5Pclose(dcpl);
    return dataset;
}

static void transfers(hid_t dataset, hid_t events)
{
    char line[256];
    hsize_t start[] = {0, 0}, count[] = {4, 8}, few = 32;
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &few, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    herr_t ret = H5Dwrite_async(HERE, dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, doubles, events);
    told("H5Dwrite_async", sizeof doubles, ret, array(line, "/a", ALL, 8, "all"));
    ret = H5Dread_async(HERE, dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, ints, events);
    told("H5Dread_async", 32 * sizeof *ints, ret, array(line, "/a", 32, 4, "hyperslab"));
    H5Sclose(space);
    H5Sclose(memory);
}

/* Records have the details of the first four. */
enum { SEVERAL = 10, TOLD = 4 };

static void several(hid_t file, hid_t events)
{
    hid_t each[SEVERAL], types[SEVERAL], spaces[SEVERAL];
    void *to[SEVERAL];
    const void *from[SEVERAL];
    char line[256], path[16], two[512], all[1024] = "";
    for (int i = 0; i < SEVERAL; i++) {
        sprintf(path, "/m%d", i);
        each[i] = create(file, path + 1, events), types[i] = i % 2 ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
        spaces[i] = H5S_ALL, from[i] = to[i] = i % 2 ? (void *)ints : doubles;
        array(line, path, ALL, i % 2 ? 4 : 8, "all");
        if (i < TOLD)
            strcat(strcat(all, i ? " " : ""), line);
        if (i == 1)
            strcpy(two, all);
    }
    told("H5Dwrite_multi", ALL * 12, H5Dwrite_multi(2, each, types, spaces, spaces, H5P_DEFAULT, from), two);
    told("H5Dread_multi", ALL * 12, H5Dread_multi(2, each, types, spaces, spaces, H5P_DEFAULT, to), two);
    told("H5Dwrite_multi_async", ALL * 12, H5Dwrite_multi_async(HERE, 2, each, types, spaces, spaces, H5P_DEFAULT, from, events), two);
    told("H5Dread_multi_async", ALL * 12, H5Dread_multi_async(HERE, 2, each, types, spaces, spaces, H5P_DEFAULT, to, events), two);
    told("H5Dread_multi", 0, H5Dread_multi(0, each, types, spaces, spaces, H5P_DEFAULT, to), "");
    told("H5Dread_multi", ALL * 6 * SEVERAL, H5Dread_multi(SEVERAL, each, types, spaces, spaces, H5P_DEFAULT, to), all);
    for (int i = 0; i < SEVERAL; i++) {
        sprintf(line, "object{object=\"/m%d\"}", i);
        told("H5Dclose_async", 0, H5Dclose_async(HERE, each[i], events), line);
    }
}

static void attributes(hid_t dataset, hid_t events)
{
    hbool_t there = 0;
    int values[3] = {1, 2, 3};
    hsize_t three = 3;
    hid_t space = H5Screate_simple(1, &three, NULL);
    const char *transfer = "array{object=\"/a@units\" elements=3 element=4 stored=4 converted=0 selection=\"all\" layout=- "
                           "chunk=0 filters=- collective=0 done=-}";
    hid_t units = H5Acreate_async(HERE, dataset, "units", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, events);
    told("H5Acreate_async", 0, 0, OBJECT("/a@units"));
    told("H5Awrite_async", 12, H5Awrite_async(HERE, units, H5T_NATIVE_INT, values, events), transfer);
    told("H5Aclose_async", 0, H5Aclose_async(HERE, units, events), OBJECT("/a@units"));
    units = H5Aopen_async(HERE, dataset, "units", H5P_DEFAULT, events);
    told("H5Aopen_async", 0, 0, OBJECT("/a@units"));
    told("H5Aread_async", 12, H5Aread_async(HERE, units, H5T_NATIVE_INT, values, events), transfer);
    told("H5Aclose_async", 0, H5Aclose_async(HERE, units, events), OBJECT("/a@units"));
    told("H5Aexists_async", 0, H5Aexists_async(HERE, dataset, "units", &there, events), OBJECT("/a@units"));
    must(there, "the attribute");
    H5Sclose(space);
}

static void chunks(hid_t dataset)
{
    hsize_t at[] = {16, 0};
    uint32_t filters = 0;
    told("H5Dwrite_chunk", 4096, H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, at, 4096, doubles), MADE("/a"));
    told(NAME(H5Dread_chunk), 4096, H5Dread_chunk(dataset, H5P_DEFAULT, at, &filters, doubles), MADE("/a"));
#if HDF5 >= 200
    size_t size = sizeof doubles;
    told("H5Dread_chunk2", 4096, H5Dread_chunk2(dataset, H5P_DEFAULT, at, &filters, doubles, &size), MADE("/a"));
    must(size == 4096, "the size of a chunk");
#endif
}

int main(void)
{
    hid_t events = H5EScreate();
    hid_t file = H5Fcreate_async(HERE, "data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT, events);
    must(file > 0, "H5Fcreate_async");
    told("H5Fcreate_async", 0, 0, OPENED("2"));
    hid_t group = H5Gcreate_async(HERE, file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, events);
    told("H5Gcreate_async", 0, 0, OBJECT("/group"));
    told("H5Gclose_async", 0, H5Gclose_async(HERE, group, events), OBJECT("/group"));
    hid_t datasets[] = {create(file, "a", events), create(file, "b", 0)};
    transfers(datasets[0], events);
    several(file, events);
    attributes(datasets[0], events);
    chunks(datasets[0]);
    told("H5Dclose_async", 0, H5Dclose_async(HERE, datasets[1], 0), OBJECT("/b"));
    told("H5Dclose_async", 0, H5Dclose_async(HERE, datasets[0], events), OBJECT("/a"));
    hid_t dataset = H5Dopen_async(HERE, file, "a", H5P_DEFAULT, events);
    told("H5Dopen_async", 0, 0, MADE("/a"));
    told("H5Dclose_async", 0, H5Dclose_async(HERE, dataset, events), OBJECT("/a"));
    hbool_t there = 0;
    told("H5Lexists_async", 0, H5Lexists_async(HERE, file, "b", &there, H5P_DEFAULT, events), OBJECT("/b"));
    must(there, "the link");
    hid_t object = H5Oopen_async(HERE, file, "group", H5P_DEFAULT, events);
    told("H5Oopen_async", 0, 0, OBJECT("/group"));
    told("H5Oclose_async", 0, H5Oclose_async(HERE, object, events), OBJECT("/group"));
    told("H5Fflush_async", 0, H5Fflush_async(HERE, file, H5F_SCOPE_LOCAL, events), OBJECT("/"));
    told("H5Fclose_async", 0, H5Fclose_async(HERE, file, events), OBJECT("/"));
    file = H5Fopen_async(HERE, "data.h5", H5F_ACC_RDONLY, H5P_DEFAULT, events);
    told("H5Fopen_async", 0, 0, OPENED("0"));
    told("H5Fclose_async", 0, H5Fclose_async(HERE, file, events), OBJECT("/"));
    size_t left = 1;
    hbool_t failed = 1;
    must(H5ESwait(events, UINT64_MAX, &left, &failed) == 0 && left == 0 && !failed && H5ESclose(events) == 0, "H5ESwait");
    return 0;
}
