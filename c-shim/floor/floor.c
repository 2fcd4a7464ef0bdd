/* What the command needs of the C library and glibc 2.28 does not have as a function; scripts/floor.sh links it. */
/* No header: what they declare depends on the library that is here. */
struct status;

/* `_STAT_VER`: before glibc 2.33 the functions below were in libc_nonshared.a. */
#ifdef __x86_64__
enum { VERSION = 1 };
#else
enum { VERSION = 0 };
#endif

extern int __xstat(int, const char *, struct status *);
extern int __lxstat(int, const char *, struct status *);
extern int __fxstat(int, int, struct status *);
extern int __fxstatat(int, int, const char *, struct status *, int);

/* On machines of 64 bits the structures of both names are the same. */
#define BOTH(name, params, call)                                      \
    int name params { return call; }                                  \
    int name##64 params __attribute__((alias(#name)));
BOTH(stat, (const char *path, struct status *status), __xstat(VERSION, path, status))
BOTH(lstat, (const char *path, struct status *status), __lxstat(VERSION, path, status))
BOTH(fstat, (int descriptor, struct status *status), __fxstat(VERSION, descriptor, status))
BOTH(fstatat, (int folder, const char *path, struct status *status, int flags),
     __fxstatat(VERSION, folder, path, status, flags))

/* Headers since glibc 2.38 send programs to these. */
extern long strtol(const char *, char **, int);
extern unsigned long strtoul(const char *, char **, int);
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
long __isoc23_strtoll(const char *, char **, int) __attribute__((alias("__isoc23_strtol")));
unsigned long __isoc23_strtoull(const char *, char **, int) __attribute__((alias("__isoc23_strtoul")));
