/* Functions that no header of the C library declares to a program compiled here. */

/* bits/fcntl2.h of glibc: open and openat of a fortified program without a mode */
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);

/* bits/unistd.h of glibc: fortified programs */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);

/* bits/stdlib.h of glibc: fortified programs */
char *__realpath_chk(const char *, char *, size_t);

/* bits/stdio2.h of glibc (bits/stdio2-decl.h from 2.37): fortified programs */
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *);
char *__fgets_unlocked_chk(char *, size_t, int, FILE *);
char *__gets_chk(char *, size_t);
int __fprintf_chk(FILE *, int, const char *, ...);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __printf_chk(int, const char *, ...);
int __vprintf_chk(int, const char *, va_list);
int __dprintf_chk(int, int, const char *, ...);
int __vdprintf_chk(int, int, const char *, va_list);

/* bits/wchar2.h of glibc: fortified programs */
wchar_t *__fgetws_chk(wchar_t *, size_t, int, FILE *);
wchar_t *__fgetws_unlocked_chk(wchar_t *, size_t, int, FILE *);
int __fwprintf_chk(FILE *, int, const wchar_t *, ...);
int __vfwprintf_chk(FILE *, int, const wchar_t *, va_list);
int __wprintf_chk(int, const wchar_t *, ...);
int __vwprintf_chk(int, const wchar_t *, va_list);

/* stdio.h and wchar.h of glibc, where scanf is redirected to these under ISO C99 and C23 */
int __isoc99_fscanf(FILE *, const char *, ...);
int __isoc99_vfscanf(FILE *, const char *, va_list);
int __isoc99_scanf(const char *, ...);
int __isoc99_vscanf(const char *, va_list);
int __isoc23_fscanf(FILE *, const char *, ...);
int __isoc23_vfscanf(FILE *, const char *, va_list);
int __isoc23_scanf(const char *, ...);
int __isoc23_vscanf(const char *, va_list);
int __isoc99_fwscanf(FILE *, const wchar_t *, ...);
int __isoc99_vfwscanf(FILE *, const wchar_t *, va_list);
int __isoc99_wscanf(const wchar_t *, ...);
int __isoc99_vwscanf(const wchar_t *, va_list);
int __isoc23_fwscanf(FILE *, const wchar_t *, ...);
int __isoc23_vfwscanf(FILE *, const wchar_t *, va_list);
int __isoc23_wscanf(const wchar_t *, ...);
int __isoc23_vwscanf(const wchar_t *, va_list);

/* sys/stat.h of glibc before 2.33: what stat, lstat, fstat, fstatat and mknod were compiled to */
int __xstat(int, const char *, struct stat *);
int __xstat64(int, const char *, struct stat64 *);
int __lxstat(int, const char *, struct stat *);
int __lxstat64(int, const char *, struct stat64 *);
int __fxstat(int, int, struct stat *);
int __fxstat64(int, int, struct stat64 *);
int __fxstatat(int, int, const char *, struct stat *, int);
int __fxstatat64(int, int, const char *, struct stat64 *, int);
int __xmknod(int, const char *, mode_t, dev_t *);
int __xmknodat(int, int, const char *, mode_t, dev_t *);

/* include/unistd.h, fcntl.h and sys/statfs.h of glibc's sources: reserved names of functions that headers declare */
int __open(const char *, int, ...);
int __open64(const char *, int, ...);
int __close(int);
ssize_t __read(int, void *, size_t);
ssize_t __write(int, const void *, size_t);
ssize_t __pread64(int, void *, size_t, off64_t);
ssize_t __pwrite64(int, const void *, size_t, off64_t);
off_t __lseek(int, off_t, int);
int __fcntl(int, int, ...);
int __dup2(int, int);
int __clone(int (*)(void *), void *, int, void *, ...);
int __pipe(int[2]);
int __statfs(const char *, struct statfs *);

/* include/stdio.h of glibc's sources */
int __vfscanf(FILE *, const char *, va_list);

/* include/mntent.h of glibc's sources */
FILE *__setmntent(const char *, const char *);
int __endmntent(FILE *);
struct mntent *__getmntent_r(FILE *, struct mntent *, char *, int);

/* sysdeps/unix/sysv/linux/llseek.c and lseek64.c of glibc: for old programs, with lseek64's arguments */
off64_t llseek(int, off64_t, int);

/* libio/libio.h, which glibc installed before 2.28, and libio/iolibio.h of its sources: old names of streams' functions */
FILE *_IO_fopen(const char *, const char *);
FILE *_IO_fdopen(int, const char *);
FILE *_IO_popen(const char *, const char *);
int _IO_fclose(FILE *);
size_t _IO_fread(void *, size_t, size_t, FILE *);
size_t _IO_fwrite(const void *, size_t, size_t, FILE *);
int _IO_getc(FILE *);
int _IO_putc(int, FILE *);
int _IO_ungetc(int, FILE *);
char *_IO_fgets(char *, int, FILE *);
int _IO_fputs(const char *, FILE *);
int _IO_puts(const char *);
int _IO_fprintf(FILE *, const char *, ...);
int _IO_printf(const char *, ...);
int _IO_vfprintf(FILE *, const char *, va_list);
long _IO_ftell(FILE *);
int _IO_fgetpos(FILE *, fpos_t *);
int _IO_fgetpos64(FILE *, fpos64_t *);
int _IO_fsetpos(FILE *, const fpos_t *);
int _IO_fsetpos64(FILE *, const fpos64_t *);
int _IO_fflush(FILE *);
int _IO_setvbuf(FILE *, char *, int, size_t);
void _IO_setbuffer(FILE *, char *, size_t);

/* libio/libioP.h of glibc's sources: the wide halves of stdio.h's __uflow, __overflow */
int __underflow(FILE *);
wint_t __wuflow(FILE *);
wint_t __wunderflow(FILE *);
wint_t __woverflow(FILE *, wint_t);

/* stdio.h until ISO C11 dropped it */
char *gets(char *);

/* glibc/include/unistd.h: the names of fork and vfork inside the library, which it exports */
extern pid_t __fork(void);
extern pid_t __vfork(void);
