/* Streams beyond their buffers: what libc writes and reads by itself is counted once, at the right place. */
#include "program.h"

enum { RECORD = 100, RECORDS = 5000 };

static void write_it(char *record)
{
    FILE *stream = SAW_STREAM(fopen("big", "w"));

    for (long i = 0; i < RECORDS; i++) {
        memset(record, 'a' + (int)(i % 26), RECORD);
        AT(i * RECORD, fwrite(record, RECORD, 1, stream));
    }
    SAW(fclose(stream));
}

static void read_it(char *record)
{
    FILE *stream = SAW_STREAM(fopen("big", "r"));

    for (long i = 0; i < RECORDS; i += 2) {
        AT(i * RECORD, fread(record, 1, RECORD, stream));
        AT((i + 1) * RECORD, fseek(stream, RECORD, SEEK_CUR));
    }
    show("last", record, 4);
    SAW(fclose(stream));
}

int main(void)
{
    char record[RECORD];

    begin();
    write_it(record);
    read_it(record);
    say("  size %ld\n", size_of("big"));
    end();
    return 0;
}
