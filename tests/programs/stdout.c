/* The standard streams, and the calls that name none. Its input is three lines. */
#include "program.h"

static int by_list(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    int printed = vprintf(format, ap);
    va_end(ap);
    return printed;
}

static void print(void)
{
    printf("printf %d\n", 1);
    by_list("vprintf %s\n", "two");
    puts("puts");
    putchar('c');
    putchar_unlocked('u');
    fprintf(stdout, " %5.2f\n", 3.14159);
    fflush(stdout);
    fputs("to stderr\n", stderr);
    perror("perror");
    dprintf(1, "dprintf %s\n", "four");
}

static void scan(void)
{
    char line[32], word[32];
    int number;

    say("  getchar %c\n", getchar());
    say("  scanf %d\n", scanf("%d %31s", &number, word));
    say("  %d %s\n", number, word);
    say("  newline %d\n", getchar() == '\n');
    say("  fgets %s", fgets(line, sizeof line, stdin));
    say("  unlocked %c\n", getchar_unlocked());
}

int main(void)
{
    begin();
    print();
    scan();
    fflush(stdout);
    end();
    return 0;
}
