/* Exceptions through probed calls of a C library, and calls of functions whose names C++ made. */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <unistd.h>

extern "C" {
void p_call(void (*what)(void *), void *with);
void p_nothing(void);
}

struct counted {
    static int left;
    ~counted() { left -= (int)pwrite(-1, "...", 3, 0); }
};
int counted::left;

static void throw_it(void *text)
{
    counted here;
    throw std::runtime_error(static_cast<const char *>(text));
}

static void call_again(void *text)
{
    counted here;
    p_call(throw_it, text);
}

int main()
{
    int caught = 0;
    std::string last;

    for (int i = 0; i < 1000; i++)
        try {
            p_call(call_again, const_cast<char *>("thrown"));
        } catch (const std::exception &error) {
            caught++;
            last = error.what();
        }
    p_nothing();
    if (pwrite(1, "", 0, 0) != 0)
        caught += 0;
    std::printf("caught %d, left %d, %s\n", caught, counted::left, last.c_str());
    return 0;
}
