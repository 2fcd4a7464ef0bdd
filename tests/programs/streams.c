/* C streams: every way to open, read, write and move, with the position at which each call begins. */
#include "program.h"

static char buffer[256];

static void write_all_ways(void)
{
    FILE *stream = SAW_STREAM(fopen("stream", "w"));

    AT(0, fwrite("0123456789", 1, 10, stream));
    AT(10, fwrite("abcdef", 2, 3, stream));
    AT(16, fputc('c', stream));
    AT(17, putc('p', stream));
    AT(18, fputs("a line\n", stream));
    AT(25, fprintf(stream, "%d and %s\n", 12, "words"));
    SAW(fflush(stream));
    AT(38, fputc_unlocked('u', stream));
    AT(39, putc_unlocked('v', stream));
    AT(40, fputs_unlocked("unlocked\n", stream));
    AT(49, fwrite_unlocked("xyz\n", 4, 1, stream));
    SAW(fclose(stream));
    say("  size %ld\n", size_of("stream"));
}

static void read_all_ways(void)
{
    char *line = NULL;
    size_t room = 0;
    FILE *stream = SAW_STREAM(fopen64("stream", "r"));

    AT(0, fread(buffer, 1, 4, stream));
    AT(4, fread(buffer, 4, 2, stream));
    AT(12, fgetc(stream));
    AT(13, getc(stream));
    AT(14, ungetc('U', stream));
    AT(13, fgetc(stream));
    AT_POINTER(14, fgets(buffer, sizeof buffer, stream));
    show("line", buffer, strlen(buffer));
    AT(25, getline(&line, &room, stream));
    show("line", line, strlen(line));
    AT(38, getdelim(&line, &room, 'k', stream));
    AT(46, fgetc_unlocked(stream));
    AT(47, getc_unlocked(stream));
    AT(48, fread_unlocked(buffer, 1, 3, stream));
    AT(51, fread(buffer, 1, 100, stream));
    AT(53, fgetc(stream));
    SAW(fclose(stream));
    free(line);
}

static void update(void)
{
    FILE *stream = SAW_STREAM(fopen("stream", "r+"));

    AT(0, fread(buffer, 1, 5, stream));
    AT(5, fseek(stream, 0, SEEK_CUR));
    AT(5, fwrite("UPDATE", 1, 6, stream));
    AT(11, fseek(stream, -3, SEEK_END));
    AT(50, fread(buffer, 1, 2, stream));
    AT(52, fseeko(stream, 20, SEEK_SET));
    AT(20, fputs("twenty", stream));
    AT(26, fseeko64(stream, -26, SEEK_CUR));
    AT_POINTER(0, fgets(buffer, 12, stream));
    show("start", buffer, strlen(buffer));
    AT(11, ftell(stream));
    AT(11, ftello(stream));
    SAW(fclose(stream));
}

static void append(void)
{
    FILE *stream = SAW_STREAM(fopen("stream", "a+"));

    AT(53, fputs("appended\n", stream));
    SAW(fflush(stream));
    AT(62, fseek(stream, 2, SEEK_SET));
    AT(2, fread(buffer, 1, 4, stream));
    show("read", buffer, 4);
    AT(6, fseek(stream, 0, SEEK_SET));
    AT(62, fputs("at the end", stream));
    SAW(fclose(stream));
    say("  size %ld\n", size_of("stream"));
}

static void scan(void)
{
    int number = 0;
    char word[32] = "";
    FILE *stream = SAW_STREAM(fopen("numbers", "w+"));

    AT(0, fputs("12 apples 345 pears", stream));
    SAW((rewind(stream), 0));
    AT(0, fscanf(stream, "%d %31s", &number, word));
    say("  %d %s\n", number, word);
    AT(9, fscanf(stream, "%d", &number));
    AT(13, fgetc(stream));
    AT(14, fscanf(stream, "%d", &number));
    AT(14, fscanf(stream, "%31s", word));
    AT(19, fscanf(stream, "%31s", word));
    SAW(fclose(stream));
}

static void positions(void)
{
    fpos_t place;
    FILE *stream = SAW_STREAM(fopen("stream", "r"));

    AT(0, fread(buffer, 1, 9, stream));
    SAW(fgetpos(stream, &place));
    AT(9, fread(buffer, 1, 9, stream));
    SAW(fsetpos(stream, &place));
    AT(9, fread(buffer, 1, 2, stream));
    SAW(fclose(stream));
}

static void odd_streams(void)
{
    char memory[32] = "";
    int fd = SAW(open("stream", O_RDWR));
    FILE *stream = SAW_STREAM(fdopen(fd, "r+"));

    AT(0, fread(buffer, 1, 3, stream));
    stream = SAW_STREAM(freopen("again", "w", stream));
    AT(0, fputs("again", stream));
    SAW(fclose(stream));
    stream = SAW_STREAM(tmpfile());
    AT(0, fputs("nameless", stream));
    SAW(fclose(stream));
    stream = SAW_POINTER(fmemopen(memory, sizeof memory, "w"));
    SAW(fputs("in memory", stream));
    SAW(fclose(stream));
    show("memory", memory, 9);
}

static void buffering(void)
{
    FILE *stream = SAW_STREAM(fopen("unbuffered", "w"));

    SAW(setvbuf(stream, NULL, _IONBF, 0));
    AT(0, fputc('a', stream));
    AT(1, fputs("bc", stream));
    say("  size %ld\n", size_of("unbuffered"));
    SAW(fclose(stream));
    SAW(fflush(NULL));
}

int main(void)
{
    begin();
    write_all_ways();
    read_all_ways();
    update();
    append();
    scan();
    positions();
    odd_streams();
    buffering();
    end();
    return 0;
}
