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

/* Items larger than a trace has room for. */
static void move_large(void)
{
    enum { LARGE = 100000 };
    static char items[2 * LARGE];
    FILE *stream = SAW_STREAM(fopen("large", "w+"));

    AT(0, fwrite(items, LARGE, 2, stream));
    SAW(fseek(stream, LARGE - 10, SEEK_SET));
    AT(LARGE - 10, fread(items, LARGE, 2, stream));
    SAW(fclose(stream));
}

int main(void)
{
    char record[RECORD];

    begin();
    write_it(record);
    read_it(record);
    move_large();
    say("  size %ld\n", size_of("big"));
    end();
    return 0;
}
