//! Calls that start a process, replace it or end it.

calls! { Libc;
    "Starting processes" {
        fork() -> pid_t => Posix Process, fork();
        _Fork["GLIBC_2.34"]() -> pid_t => Posix Process, fork_alone();
        __fork() -> pid_t => Posix Process, fork();
        forkpty["GLIBC_2.34"](parent: *mut c_int, name: *mut c_char, terminal: *const termios, window: *const winsize) -> pid_t => Posix Process, fork();
        vfork() -> pid_t => Posix Process, vfork();
        __vfork() -> pid_t => Posix Process, vfork();
        daemon(nochdir: c_int, noclose: c_int) -> c_int => Posix Process, daemon();
        clone(function: clone_fn, stack: *mut c_void, flags: c_int, arg: *mut c_void, ...rest: longs) -> c_int => Posix Process, clone(flags);
        __clone(function: clone_fn, stack: *mut c_void, flags: c_int, arg: *mut c_void, ...rest: longs) -> c_int => Posix Process, clone(flags);
        posix_spawn(pid: *mut pid_t, path: *const c_char, actions: *const posix_spawn_file_actions_t, attributes: *const posix_spawnattr_t, argv: *const *mut c_char, envp: *const *mut c_char) -> c_int => Posix Process, spawn(path, pid);
        posix_spawnp(pid: *mut pid_t, file: *const c_char, actions: *const posix_spawn_file_actions_t, attributes: *const posix_spawnattr_t, argv: *const *mut c_char, envp: *const *mut c_char) -> c_int => Posix Process, spawn_file(file, pid);
        pidfd_spawn["GLIBC_2.39"](pidfd: *mut c_int, path: *const c_char, actions: *const posix_spawn_file_actions_t, attributes: *const posix_spawnattr_t, argv: *const *mut c_char, envp: *const *mut c_char) -> c_int => Posix Process, spawn(path, core::ptr::null_mut());
        pidfd_spawnp["GLIBC_2.39"](pidfd: *mut c_int, file: *const c_char, actions: *const posix_spawn_file_actions_t, attributes: *const posix_spawnattr_t, argv: *const *mut c_char, envp: *const *mut c_char) -> c_int => Posix Process, spawn_file(file, core::ptr::null_mut());
        system(command: *const c_char) -> c_int => Posix Process, command(command);
    }
    "Replacing the program of a process" {
        execve(path: *const c_char, argv: *const *mut c_char, envp: *const *mut c_char) -> c_int => Posix Process, exec(path);
        execv(path: *const c_char, argv: *const *mut c_char) -> c_int => Posix Process, exec(path);
        execvp(file: *const c_char, argv: *const *mut c_char) -> c_int => Posix Process, exec_file(file);
        execvpe(file: *const c_char, argv: *const *mut c_char, envp: *const *mut c_char) -> c_int => Posix Process, exec_file(file);
        execl(path: *const c_char, arg: *const c_char, ...argv: words via execv) -> c_int => Posix Process, exec(path);
        execlp(file: *const c_char, arg: *const c_char, ...argv: words via execvp) -> c_int => Posix Process, exec_file(file);
        execle(path: *const c_char, arg: *const c_char, ...argv: words_and_environment via execve) -> c_int => Posix Process, exec(path);
        fexecve(fd: c_int, argv: *const *mut c_char, envp: *const *mut c_char) -> c_int => Posix Process, exec_fd(fd);
        execveat["GLIBC_2.34"](dirfd: c_int, path: *const c_char, argv: *const *mut c_char, envp: *const *mut c_char, flags: c_int) -> c_int => Posix Process, exec_at(dirfd, path);
    }
    "Ending a process" {
        _exit(status: c_int) -> ! => Posix Process, exit();
        _Exit(status: c_int) -> ! => Posix Process, exit();
        quick_exit(status: c_int) -> ! => Posix Process, exit();
        abort() -> ! => Posix Process, exit();
    }
}
