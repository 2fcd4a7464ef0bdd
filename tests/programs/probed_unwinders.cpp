// Throws through calls of p_call, in a program and in the plugin that it loads. With WAITS the plugin's constructor waits for a
// thread that does so in the program, while the dynamic linker holds its lock.
#include <cstdio>
#include <dlfcn.h>
#include <pthread.h>

extern "C" void p_call(void (*function)(void *), void *argument);
extern "C" void *catches(void *count);

static void leave(void *)
{
    throw 7;
}

static void catch_one(int *count)
{
    try {
        p_call(leave, nullptr);
    } catch (int) {
        ++*count;
    }
}

#ifdef PLUGIN
static int count;

#ifdef WAITS
static struct Waits {
    Waits()
    {
        pthread_t thread;
        pthread_create(&thread, nullptr, catches, &count);
        pthread_join(thread, nullptr);
    }
} waits;
#endif

extern "C" int go()
{
    for (int i = 0; i < 3; i++)
        catch_one(&count);
    return count;
}
#else
extern "C" void *catches(void *count)
{
    catch_one(static_cast<int *>(count));
    return nullptr;
}

int main(int argc, char **argv)
{
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW) : nullptr;
    if (!plugin) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    auto go = reinterpret_cast<int (*)()>(dlsym(plugin, "go"));
    dlopen("./no-such-plugin.so", RTLD_NOW);
    std::printf("%d\n", go());
    std::printf("%s\n", dlerror() ? "an error waits" : "no error waits");
}
#endif
