/* Linked with --wrap=write --wrap=fclose for other_tracer.c. No symbol of it is for others: its hash table is empty. */
#include "program.h"

int other_saw(void);

int main(void)
{
    int fd = open("wrapped", O_CREAT | O_WRONLY | O_TRUNC, 0600);

    for (int i = 0; i < 7; i++)
        write(fd, "data", 4);
    say("close %d\n", close(fd));
    FILE *stream = fopen("stream", "w");
    fputs("data", stream);
    say("fclose %d\n", fclose(stream));
    say("the other tracer saw %d\n", other_saw());
    tell();
    return 0;
}
