/* Children leave H5Dopen2 by siglongjmp from a timer's handler, each at another instant. What they write then is their own. */
#include <fcntl.h>
#include <hdf5.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf out;

static void leave(int signal) {
    siglongjmp(out, signal);
}

static int child(hid_t file, int number) {
    int fd = open("out", O_WRONLY);
    struct itimerval timer = {.it_value = {.tv_usec = 300 + 7 * number}};
    signal(SIGALRM, leave);
    if (!sigsetjmp(out, 1)) {
        setitimer(ITIMER_REAL, &timer, NULL);
        for (;;)
            H5Dclose(H5Dopen2(file, "/state", H5P_DEFAULT));
    }
    for (int i = 0; i < 10; i++)
        if (pwrite(fd, "x", 1, i) != 1)
            return 1;
    return 0;
}

int main(void) {
    hsize_t size = 8;
    hid_t file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &size, NULL);
    H5Dclose(H5Dcreate2(file, "/state", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    close(open("out", O_WRONLY | O_CREAT, 0600));
    for (int i = 0; i < 64; i++) {
        pid_t pid = fork();
        if (!pid)
            _exit(child(file, i));
        int status = 1;
        if (waitpid(pid, &status, 0) != pid || status)
            return 1;
    }
    return H5Fclose(file) < 0;
}
