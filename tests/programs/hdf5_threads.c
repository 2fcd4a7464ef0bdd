/* Threads that use HDF5, each with a dataset of its own: at the same time if the library is made for that, else in turn. */
#include "hdf5_told.h"
#include <pthread.h>

enum { THREADS = 8, ROUNDS = 50, SIZE = 100 };
static hid_t file, space;
static hbool_t is_safe;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* Told as one line; of a library that threads may use together, without waiting for the others. */
#define CALLED(op, bytes, call, details)      \
    do {                                      \
        if (!is_safe)                         \
            pthread_mutex_lock(&turn);        \
        told(op, bytes, (call) < 0 ? -1 : 0, details); \
        if (!is_safe)                         \
            pthread_mutex_unlock(&turn);      \
    } while (0)

static void *use(void *number)
{
    double values[SIZE] = {0};
    char name[16], object[64], made[128], array[256];
    hid_t dataset = 0;
    sprintf(name, "/of%ld", (long)number);
    sprintf(object, "object{object=\"%s\"}", name);
    sprintf(made, "dataset{object=\"%s\" stored=8 layout=\"contiguous\" chunk=0 filters=-}", name);
    sprintf(array,
            "array{object=\"%s\" elements=100 element=8 stored=8 converted=0 selection=\"all\" layout=\"contiguous\" chunk=0 "
            "filters=- collective=0 done=-}",
            name);
    CALLED("H5Dcreate2", 0, dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), made);
    for (int i = 0; i < ROUNDS; i++) {
        CALLED("H5Dwrite", sizeof values, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), array);
        CALLED("H5Dread", sizeof values, H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), array);
        CALLED("H5Dclose", 0, H5Dclose(dataset), object);
        CALLED("H5Dopen2", 0, dataset = H5Dopen2(file, name, H5P_DEFAULT), made);
    }
    CALLED("H5Dclose", 0, H5Dclose(dataset), object);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    hsize_t size = SIZE;
    H5is_library_threadsafe(&is_safe);
    file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    told("H5Fcreate", 0, 0, OPENED("2"));
    space = H5Screate_simple(1, &size, NULL);
    for (long i = 0; i < THREADS; i++)
        must(pthread_create(&threads[i], NULL, use, (void *)i) == 0, "pthread_create");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    told("H5Fclose", 0, H5Fclose(file), "object{object=\"/\"}");
    H5Sclose(space);
    return 0;
}
