//! Paths and what is known of files: names, attributes, directories, file systems.

calls! { Libc;
    "Asking for a file's attributes" {
        stat(path: *const c_char, buf: *mut stat) -> c_int => Posix Meta, path(path);
        stat64(path: *const c_char, buf: *mut stat64) -> c_int => Posix Meta, path(path);
        lstat(path: *const c_char, buf: *mut stat) -> c_int => Posix Meta, path(path);
        lstat64(path: *const c_char, buf: *mut stat64) -> c_int => Posix Meta, path(path);
        fstat(fd: c_int, buf: *mut stat) -> c_int => Posix Meta, on_fd(fd);
        fstat64(fd: c_int, buf: *mut stat64) -> c_int => Posix Meta, on_fd(fd);
        fstatat(dirfd: c_int, path: *const c_char, buf: *mut stat, flags: c_int) -> c_int => Posix Meta, path_at(dirfd, path);
        fstatat64(dirfd: c_int, path: *const c_char, buf: *mut stat64, flags: c_int) -> c_int => Posix Meta, path_at(dirfd, path);
        statx(dirfd: c_int, path: *const c_char, flags: c_int, mask: c_uint, buf: *mut statx) -> c_int => Posix Meta, path_at(dirfd, path);
        __xstat(version: c_int, path: *const c_char, buf: *mut stat) -> c_int => Posix Meta, path(path);
        __xstat64(version: c_int, path: *const c_char, buf: *mut stat64) -> c_int => Posix Meta, path(path);
        __lxstat(version: c_int, path: *const c_char, buf: *mut stat) -> c_int => Posix Meta, path(path);
        __lxstat64(version: c_int, path: *const c_char, buf: *mut stat64) -> c_int => Posix Meta, path(path);
        __fxstat(version: c_int, fd: c_int, buf: *mut stat) -> c_int => Posix Meta, on_fd(fd);
        __fxstat64(version: c_int, fd: c_int, buf: *mut stat64) -> c_int => Posix Meta, on_fd(fd);
        __fxstatat(version: c_int, dirfd: c_int, path: *const c_char, buf: *mut stat, flags: c_int) -> c_int => Posix Meta, path_at(dirfd, path);
        __fxstatat64(version: c_int, dirfd: c_int, path: *const c_char, buf: *mut stat64, flags: c_int) -> c_int => Posix Meta, path_at(dirfd, path);
        access(path: *const c_char, mode: c_int) -> c_int => Posix Meta, path(path);
        faccessat(dirfd: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int => Posix Meta, path_at(dirfd, path);
        eaccess(path: *const c_char, mode: c_int) -> c_int => Posix Meta, path(path);
        euidaccess(path: *const c_char, mode: c_int) -> c_int => Posix Meta, path(path);
        ftok(path: *const c_char, id: c_int) -> key_t => Posix Meta, path(path);
        name_to_handle_at(dirfd: c_int, path: *const c_char, handle: *mut file_handle, mount: *mut c_int, flags: c_int) -> c_int => Posix Meta, path_at(dirfd, path);
    }
    "Asking for a file system's attributes" {
        statfs(path: *const c_char, buf: *mut statfs) -> c_int => Posix Meta, path(path);
        statfs64(path: *const c_char, buf: *mut statfs64) -> c_int => Posix Meta, path(path);
        __statfs(path: *const c_char, buf: *mut statfs) -> c_int => Posix Meta, path(path);
        fstatfs(fd: c_int, buf: *mut statfs) -> c_int => Posix Meta, on_fd(fd);
        fstatfs64(fd: c_int, buf: *mut statfs64) -> c_int => Posix Meta, on_fd(fd);
        statvfs(path: *const c_char, buf: *mut statvfs) -> c_int => Posix Meta, path(path);
        statvfs64(path: *const c_char, buf: *mut statvfs64) -> c_int => Posix Meta, path(path);
        fstatvfs(fd: c_int, buf: *mut statvfs) -> c_int => Posix Meta, on_fd(fd);
        fstatvfs64(fd: c_int, buf: *mut statvfs64) -> c_int => Posix Meta, on_fd(fd);
        pathconf(path: *const c_char, name: c_int) -> c_long => Posix Meta, path_unread(path);
        fpathconf(fd: c_int, name: c_int) -> c_long => Posix Meta, on_fd(fd);
    }
    "Changing a file's attributes" {
        truncate(path: *const c_char, length: off_t) -> c_int => Posix Meta, path(path);
        truncate64(path: *const c_char, length: off64_t) -> c_int => Posix Meta, path(path);
        chmod(path: *const c_char, mode: mode_t) -> c_int => Posix Meta, path(path);
        lchmod(path: *const c_char, mode: mode_t) -> c_int => Posix Meta, path(path);
        fchmod(fd: c_int, mode: mode_t) -> c_int => Posix Meta, on_fd(fd);
        fchmodat(dirfd: c_int, path: *const c_char, mode: mode_t, flags: c_int) -> c_int => Posix Meta, path_at(dirfd, path);
        chown(path: *const c_char, owner: uid_t, group: gid_t) -> c_int => Posix Meta, path(path);
        lchown(path: *const c_char, owner: uid_t, group: gid_t) -> c_int => Posix Meta, path(path);
        fchown(fd: c_int, owner: uid_t, group: gid_t) -> c_int => Posix Meta, on_fd(fd);
        fchownat(dirfd: c_int, path: *const c_char, owner: uid_t, group: gid_t, flags: c_int) -> c_int => Posix Meta, path_at(dirfd, path);
        utime(path: *const c_char, times: *const utimbuf) -> c_int => Posix Meta, path(path);
        utimes(path: *const c_char, times: *const timeval) -> c_int => Posix Meta, path(path);
        lutimes(path: *const c_char, times: *const timeval) -> c_int => Posix Meta, path(path);
        futimes(fd: c_int, times: *const timeval) -> c_int => Posix Meta, on_fd(fd);
        futimesat(dirfd: c_int, path: *const c_char, times: *const timeval) -> c_int => Posix Meta, path_at(dirfd, path);
        utimensat(dirfd: c_int, path: *const c_char, times: *const timespec, flags: c_int) -> c_int => Posix Meta, path_timed(dirfd, path, times.cast());
        futimens(fd: c_int, times: *const timespec) -> c_int => Posix Meta, on_fd(fd);
    }
    "Names" {
        unlink(path: *const c_char) -> c_int => Posix Meta, path(path);
        unlinkat(dirfd: c_int, path: *const c_char, flags: c_int) -> c_int => Posix Meta, path_at(dirfd, path);
        remove(path: *const c_char) -> c_int => Posix Meta, path(path);
        rename(oldpath: *const c_char, newpath: *const c_char) -> c_int => Posix Meta, rename(oldpath, newpath);
        renameat(olddirfd: c_int, oldpath: *const c_char, newdirfd: c_int, newpath: *const c_char) -> c_int => Posix Meta, rename_at(olddirfd, oldpath, newdirfd, newpath);
        renameat2(olddirfd: c_int, oldpath: *const c_char, newdirfd: c_int, newpath: *const c_char, flags: c_uint) -> c_int => Posix Meta, rename_at(olddirfd, oldpath, newdirfd, newpath);
        link(oldpath: *const c_char, newpath: *const c_char) -> c_int => Posix Meta, path2(oldpath, newpath);
        linkat(olddirfd: c_int, oldpath: *const c_char, newdirfd: c_int, newpath: *const c_char, flags: c_int) -> c_int => Posix Meta, path2_at(olddirfd, oldpath, newdirfd, newpath);
        symlink(target: *const c_char, linkpath: *const c_char) -> c_int => Posix Meta, path_unread(linkpath);
        symlinkat(target: *const c_char, newdirfd: c_int, linkpath: *const c_char) -> c_int => Posix Meta, path_unread_at(newdirfd, linkpath);
        readlink(path: *const c_char, buf: *mut c_char, len: size_t) -> ssize_t => Posix Meta, path(path);
        __readlink_chk(path: *const c_char, buf: *mut c_char, len: size_t, buflen: size_t) -> ssize_t => Posix Meta, path(path);
        readlinkat(dirfd: c_int, path: *const c_char, buf: *mut c_char, len: size_t) -> ssize_t => Posix Meta, path_at(dirfd, path);
        __readlinkat_chk(dirfd: c_int, path: *const c_char, buf: *mut c_char, len: size_t, buflen: size_t) -> ssize_t => Posix Meta, path_at(dirfd, path);
        realpath(path: *const c_char, resolved: *mut c_char) -> *mut c_char => Posix Meta, path_ret_ptr(path);
        __realpath_chk(path: *const c_char, resolved: *mut c_char, resolvedlen: size_t) -> *mut c_char => Posix Meta, path_ret_ptr(path);
        canonicalize_file_name(path: *const c_char) -> *mut c_char => Posix Meta, path_ret_ptr(path);
        mkfifo(path: *const c_char, mode: mode_t) -> c_int => Posix Meta, path(path);
        mkfifoat(dirfd: c_int, path: *const c_char, mode: mode_t) -> c_int => Posix Meta, path_at(dirfd, path);
        mknod(path: *const c_char, mode: mode_t, dev: dev_t) -> c_int => Posix Meta, path(path);
        mknodat(dirfd: c_int, path: *const c_char, mode: mode_t, dev: dev_t) -> c_int => Posix Meta, path_at(dirfd, path);
        __xmknod(version: c_int, path: *const c_char, mode: mode_t, dev: *mut dev_t) -> c_int => Posix Meta, path(path);
        __xmknodat(version: c_int, dirfd: c_int, path: *const c_char, mode: mode_t, dev: *mut dev_t) -> c_int => Posix Meta, path_at(dirfd, path);
    }
    "Directories" {
        mkdir(path: *const c_char, mode: mode_t) -> c_int => Posix Meta, path(path);
        mkdirat(dirfd: c_int, path: *const c_char, mode: mode_t) -> c_int => Posix Meta, path_at(dirfd, path);
        mkdtemp(template: *mut c_char) -> *mut c_char => Posix Meta, path_ret_ptr(template);
        rmdir(path: *const c_char) -> c_int => Posix Meta, path(path);
        chdir(path: *const c_char) -> c_int => Posix Meta, chdir(path);
        fchdir(fd: c_int) -> c_int => Posix Meta, fchdir(fd);
        chroot(path: *const c_char) -> c_int => Posix Meta, path(path);
        opendir(path: *const c_char) -> *mut DIR => Posix Meta, opendir(path);
        fdopendir(fd: c_int) -> *mut DIR => Posix Meta, fdopendir(fd);
        readdir(dirp: *mut DIR) -> *mut dirent => Posix Meta, on_dir(dirp);
        readdir64(dirp: *mut DIR) -> *mut dirent64 => Posix Meta, on_dir(dirp);
        readdir_r(dirp: *mut DIR, entry: *mut dirent, result: *mut *mut dirent) -> c_int => Posix Meta, on_dir(dirp);
        readdir64_r(dirp: *mut DIR, entry: *mut dirent64, result: *mut *mut dirent64) -> c_int => Posix Meta, on_dir(dirp);
        seekdir(dirp: *mut DIR, position: c_long) -> () => Posix Meta, on_dir(dirp);
        telldir(dirp: *mut DIR) -> c_long => Posix Meta, on_dir(dirp);
        rewinddir(dirp: *mut DIR) -> () => Posix Meta, on_dir(dirp);
        closedir(dirp: *mut DIR) -> c_int => Posix Meta, closedir(dirp);
        getdents64["GLIBC_2.30"](fd: c_int, buf: *mut c_void, len: size_t) -> ssize_t => Posix Meta, on_fd(fd);
        getdirentries(fd: c_int, buf: *mut c_char, len: size_t, base: *mut off_t) -> ssize_t => Posix Meta, on_fd(fd);
        getdirentries64(fd: c_int, buf: *mut c_char, len: size_t, base: *mut off64_t) -> ssize_t => Posix Meta, on_fd(fd);
        scandir(path: *const c_char, list: *mut *mut *mut dirent, filter: filter_fn, order: order_fn) -> c_int => Posix Meta, path_unread(path);
        scandir64(path: *const c_char, list: *mut *mut *mut dirent64, filter: filter64_fn, order: order64_fn) -> c_int => Posix Meta, path_unread(path);
        scandirat(dirfd: c_int, path: *const c_char, list: *mut *mut *mut dirent, filter: filter_fn, order: order_fn) -> c_int => Posix Meta, path_unread_at(dirfd, path);
        scandirat64(dirfd: c_int, path: *const c_char, list: *mut *mut *mut dirent64, filter: filter64_fn, order: order64_fn) -> c_int => Posix Meta, path_unread_at(dirfd, path);
    }
    "Walks over directories (what they read inside is not seen)" {
        ftw(path: *const c_char, visit: ftw_fn, descriptors: c_int) -> c_int => Posix Meta, path_unread(path);
        ftw64(path: *const c_char, visit: ftw64_fn, descriptors: c_int) -> c_int => Posix Meta, path_unread(path);
        nftw(path: *const c_char, visit: nftw_fn, descriptors: c_int, flags: c_int) -> c_int => Posix Meta, path_unread(path);
        nftw64(path: *const c_char, visit: nftw64_fn, descriptors: c_int, flags: c_int) -> c_int => Posix Meta, path_unread(path);
        fts_open(paths: *const *mut c_char, options: c_int, order: fts_order_fn) -> *mut FTS => Posix Meta, global();
        fts_read(fts: *mut FTS) -> *mut FTSENT => Posix Meta, global();
        fts_children(fts: *mut FTS, options: c_int) -> *mut FTSENT => Posix Meta, global();
        fts_close(fts: *mut FTS) -> c_int => Posix Meta, global();
        fts64_open(paths: *const *mut c_char, options: c_int, order: fts64_order_fn) -> *mut FTS64 => Posix Meta, global();
        fts64_read(fts: *mut FTS64) -> *mut FTSENT64 => Posix Meta, global();
        fts64_children(fts: *mut FTS64, options: c_int) -> *mut FTSENT64 => Posix Meta, global();
        fts64_close(fts: *mut FTS64) -> c_int => Posix Meta, global();
        glob(pattern: *const c_char, flags: c_int, on_error: glob_error_fn, found: *mut glob_t) -> c_int => Posix Meta, path_unread(pattern);
        glob64(pattern: *const c_char, flags: c_int, on_error: glob_error_fn, found: *mut glob64_t) -> c_int => Posix Meta, path_unread(pattern);
    }
    "Extended attributes" {
        getxattr(path: *const c_char, name: *const c_char, value: *mut c_void, size: size_t) -> ssize_t => Posix Meta, path(path);
        lgetxattr(path: *const c_char, name: *const c_char, value: *mut c_void, size: size_t) -> ssize_t => Posix Meta, path(path);
        fgetxattr(fd: c_int, name: *const c_char, value: *mut c_void, size: size_t) -> ssize_t => Posix Meta, on_fd(fd);
        setxattr(path: *const c_char, name: *const c_char, value: *const c_void, size: size_t, flags: c_int) -> c_int => Posix Meta, path(path);
        lsetxattr(path: *const c_char, name: *const c_char, value: *const c_void, size: size_t, flags: c_int) -> c_int => Posix Meta, path(path);
        fsetxattr(fd: c_int, name: *const c_char, value: *const c_void, size: size_t, flags: c_int) -> c_int => Posix Meta, on_fd(fd);
        listxattr(path: *const c_char, list: *mut c_char, size: size_t) -> ssize_t => Posix Meta, path(path);
        llistxattr(path: *const c_char, list: *mut c_char, size: size_t) -> ssize_t => Posix Meta, path(path);
        flistxattr(fd: c_int, list: *mut c_char, size: size_t) -> ssize_t => Posix Meta, on_fd(fd);
        removexattr(path: *const c_char, name: *const c_char) -> c_int => Posix Meta, path(path);
        lremovexattr(path: *const c_char, name: *const c_char) -> c_int => Posix Meta, path(path);
        fremovexattr(fd: c_int, name: *const c_char) -> c_int => Posix Meta, on_fd(fd);
    }
}
