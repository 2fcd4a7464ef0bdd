/* irregular COUNT [FILE]: that many writes of odd sizes at odd places, whose trace does not compress well. */
#include "program.h"

int main(int argc, char **argv)
{
    unsigned long place = 1, good = 0;
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    int fd = open(argc > 2 ? argv[2] : "/dev/null", O_WRONLY);

    for (int i = 0; i < count; i++) {
        size_t size = (place >> 33) % 16;
        place = place * 6364136223846793005UL + 1442695040888963407UL;
        good += pwrite(fd, "0123456789abcdef", size, (off_t)(place >> 24)) == (ssize_t)size;
    }
    say("good %lu\n", good);
    tell();
    return 0;
}
