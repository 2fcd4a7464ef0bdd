//! What is not intercepted, and why. With the table this classifies every function of the C library; a test fails on
//! one that stands in neither, or in both.

/// Functions that are left out for one reason
#[derive(Clone, Copy, Debug)]
pub struct LeftOut {
    /// Why
    pub reason: &'static str,
    /// Their names, separated by white space; `*` stands for any characters
    pub names: &'static str,
}

impl LeftOut {
    /// How many of the names cover this function
    pub fn count(&self, function: &str) -> usize {
        self.names
            .split_ascii_whitespace()
            .filter(|pattern| covers(pattern, function))
            .count()
    }
}

/// Whether a pattern is, or its `*` cover, a name
fn covers(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(name) = name.strip_prefix(head) else {
        return false;
    };
    (0..=name.len()).any(|at| name.get(at..).is_some_and(|name| covers(rest, name)))
}

/// Functions whose hooks only the shared library has: in a static link they would do harm
pub const SHARED_ONLY: &[LeftOut] = &[
    LeftOut {
        reason: "a static link would then include the name service, and the linker would warn that this needs shared libraries",
        names: "glob glob64",
    },
    LeftOut {
        reason: "a static link would then include parts of the thread library, which libraries such as libgfortran take for all of it",
        names: "aio_read aio_read64 aio_write aio_write64 aio_fsync aio_fsync64 aio_return aio_return64 aio_error
            aio_error64 aio_suspend aio_suspend64 aio_cancel aio_cancel64 lio_listio lio_listio64",
    },
    LeftOut {
        reason: "the linker warns that it is dangerous, in every link that refers to it",
        names: "gets __gets_chk",
    },
    LeftOut {
        reason: "before glibc 2.32 the linker warns in every link that it is not implemented",
        names: "lchmod",
    },
    LeftOut {
        reason: "objects of some libc.a call it: in a static link `--wrap` would rewrite these calls as well, and each fread be followed by the __read within it",
        names: "_Fork _IO_fdopen _IO_fflush _IO_fputs _IO_fread _IO_ftell _IO_fwrite _IO_setbuffer _IO_setvbuf __clone
            __close __dup2 __endmntent __fcntl __fork __getdelim __getmntent_r __lseek __open __open64 __overflow __pipe
            __read __setmntent __statfs __uflow __underflow __vfscanf __woverflow __write __wuflow",
    },
    LeftOut {
        reason: "only programs that are linked already call it",
        names: "llseek",
    },
];

macro_rules! left_out {
    ($($reason:literal { $names:literal })*) => {
        /// Every function of the C library that stands in no row of the table
        pub const LEFT_OUT: &[LeftOut] =
            &[$(LeftOut { reason: $reason, names: $names }),*];
    };
}

left_out! {
    "queries or sets the state of a stream: transfers nothing and leaves the position" {
        "fileno fileno_unlocked feof feof_unlocked ferror ferror_unlocked clearerr clearerr_unlocked fwide
         flockfile ftrylockfile funlockfile __fbufsize __flbf __fpending __freadable __freading __fsetlocking
         __fwritable __fwriting _IO_feof _IO_ferror _IO_flockfile _IO_ftrylockfile _IO_funlockfile _IO_peekc_locked"
    }
    "a part of libio that other parts call through a stream's table of functions: programs call the functions above" {
        "_IO_adjust_column _IO_adjust_wcolumn _IO_default_* _IO_do_write _IO_doallocbuf _IO_enable_locks
         _IO_file_* _IO_flush_all _IO_flush_all_linebuffered _IO_free_backup_area _IO_free_wbackup_area _IO_getline
         _IO_getline_info _IO_gets _IO_init _IO_init_marker _IO_init_wmarker _IO_iter_* _IO_least_marker
         _IO_least_wmarker _IO_link_in _IO_list_* _IO_marker_* _IO_padn _IO_proc_close _IO_proc_open
         _IO_remove_marker _IO_seekmark _IO_seekoff _IO_seekpos _IO_seekwmark _IO_setb _IO_sgetn _IO_sputbackc
         _IO_sputbackwc _IO_str_* _IO_sungetc _IO_sungetwc _IO_switch_to_* _IO_un_link _IO_unsave_markers
         _IO_unsave_wmarkers _IO_vfscanf _IO_wdefault_* _IO_wdo_write _IO_wdoallocbuf _IO_wfile_* _IO_wmarker_delta
         _IO_wsetb"
    }
    "prints a message on standard error, which is not data" {
        "perror psignal psiginfo herror err errx warn warnx verr verrx vwarn vwarnx error error_at_line fmtmsg
         addseverity __assert __assert_fail __assert_perror_fail argp_error argp_failure argp_help argp_state_help
         argp_usage getpass malloc_stats mtrace muntrace backtrace_symbols_fd __backtrace_symbols_fd"
    }
    "reads or writes a system file (accounts, networks, locales, time zones, messages, logs) inside the library" {
        "getpw getpwent getpwent_r getpwnam getpwnam_r getpwuid getpwuid_r setpwent endpwent getgrent getgrent_r
         getgrgid getgrgid_r getgrnam getgrnam_r setgrent endgrent getgrouplist initgroups getspent getspent_r
         getspnam getspnam_r setspent endspent sgetspent sgetspent_r lckpwdf ulckpwdf getsgent getsgent_r getsgnam
         getsgnam_r setsgent endsgent sgetsgent sgetsgent_r getalias* setaliasent endaliasent getnet* setnetent
         setnetgrent endnetent endnetgrent innetgr getproto* setprotoent endprotoent getrpc* setrpcent endrpcent
         getserv* setservent endservent gethostent gethostent_r sethostent endhostent gethostbyaddr gethostbyaddr_r
         gethostbyname gethostbyname2 gethostbyname2_r gethostbyname_r ether_hostton ether_ntohost getfsent getfsfile
         getfsspec setfsent endfsent getttyent getttynam setttyent endttyent ttyslot getusershell setusershell
         endusershell getutent getutent_r getutid getutid_r getutline getutline_r getutmp getutmpx getutxent getutxid
         getutxline pututline pututxline setutent setutxent endutent endutxent updwtmp updwtmpx utmpname utmpxname
         login logout logwtmp getlogin getlogin_r __getlogin_r_chk cuserid rcmd rcmd_af rexec rexec_af ruserok
         ruserok_af iruserok iruserok_af __ivaliduser ruserpass setlocale newlocale __newlocale catopen catgets
         catclose iconv iconv_open iconv_close tzset gettext dgettext dcgettext ngettext dngettext dcngettext
         __dgettext __dcgettext textdomain bindtextdomain bind_textdomain_codeset __nss_* syslog vsyslog openlog
         closelog setlogmask __syslog_chk __vsyslog_chk getloadavg get_nprocs get_nprocs_conf
         get_phys_pages get_avphys_pages getdate getdate_r"
    }
    "expands words; it may run a shell, which makes calls of its own" {
        "wordexp"
    }
    "sets parameters of all asynchronous transfers" {
        "aio_init"
    }
    "generates a name without opening a file" {
        "mktemp tmpnam tmpnam_r tempnam"
    }
    "queries or sets what the kernel or the library keeps in memory: the working directory, umask, descriptors" {
        "getcwd __getcwd_chk getwd __getwd_chk get_current_dir_name dirfd umask getdtablesize isfdtype"
    }
    "takes the name of shared memory or of a semaphore, which is not a path" {
        "shm_unlink sem_open sem_unlink"
    }
    "works on what a walk over directories has already read" {
        "fts_set fts64_set globfree globfree64 glob_pattern_p alphasort alphasort64 versionsort versionsort64 hasmntopt
         fnmatch wordfree"
    }
    "the network, not files" {
        "bind connect __connect listen shutdown send __send sendto sendmsg sendmmsg recv __recv_chk recvfrom
         __recvfrom_chk recvmsg recvmmsg getpeername getsockname getsockopt setsockopt sockatmark bindresvport
         getaddrinfo getaddrinfo_a getnameinfo freeaddrinfo gai_* getifaddrs freeifaddrs if_* inet_* inet6_*
         __inet_* ether_aton ether_aton_r ether_line ether_ntoa ether_ntoa_r hstrerror htonl htons ntohl ntohs
         getsourcefilter setsourcefilter getipv4sourcefilter setipv4sourcefilter rresvport rresvport_af ns_name_*
         dn_comp dn_expand dn_skipname __dn_* res_* __res_* __h_errno_location __cmsg_nxthdr __libc_sa_len"
    }
    "Sun RPC, for old programs: its transport is the network" {
        "auth* _authenticate callrpc clnt* get_myaddress getpublickey getsecretkey host2netname key_* netname2host
         netname2user pmap_* registerrpc rtime svc* user2netname xdr* xprt_* _seterr_reply _rpc_dtablesize
         __rpc_thread_*"
    }
    "terminals" {
        "isatty ttyname ttyname_r __ttyname_r_chk ctermid ptsname ptsname_r __ptsname_r_chk grantpt unlockpt openpty
         login_tty tc* cfget* cfset* cfmakeraw stty gtty vhangup"
    }
    "waits until a descriptor is ready, or sets what to wait for" {
        "poll __poll __poll_chk ppoll __ppoll_chk select __select pselect epoll_ctl epoll_wait epoll_pwait epoll_pwait2
         inotify_add_watch inotify_rm_watch fanotify_mark timerfd_gettime timerfd_settime __fdelt_chk __fdelt_warn"
    }
    "queues, semaphores and shared memory between processes" {
        "mq_* __mq_open_2 msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget
         sem_clockwait sem_close sem_destroy sem_getvalue sem_init sem_post sem_timedwait sem_trywait sem_wait
         process_vm_readv process_vm_writev"
    }
    "mounts, accounting, swap, quotas and modules: the administrator's work" {
        "mount umount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick pivot_root swapon
         swapoff quotactl acct reboot init_module delete_module setns unshare klogctl iopl ioperm settimeofday
         adjtime adjtimex __adjtimex clock_adjtime clock_settime ntp_* sethostname setdomainname"
    }
    "not implemented on Linux, or kept for old programs and without effect" {
        "chflags fchflags revoke fattach fdetach isastream getmsg getpmsg putmsg putpmsg bdflush create_module
         get_kernel_syms query_module nfsservctl uselib ustat sysctl __sysctl sstk vlimit vtimes vm86 setlogin
         __default_morecore tr_break __libc_freeres __libc_init_first"
    }
    "memory" {
        "malloc calloc realloc free free_sized free_aligned_sized reallocarray memalign aligned_alloc posix_memalign valloc pvalloc cfree
         mallinfo mallinfo2 mallopt malloc_info malloc_trim malloc_usable_size mcheck* mprobe mtrace_* __libc_malloc
         __libc_calloc __libc_realloc __libc_free __libc_memalign __libc_valloc __libc_pvalloc __libc_mallinfo
         __libc_mallopt __libc_reallocarray brk sbrk __sbrk mprotect mincore process_madvise mlock mlock2 mlockall munlock munlockall mseal
         pkey_* obstack_* _obstack_* __obstack_*"
    }
    "strings, characters and numbers in memory" {
        "str* __str* stpcpy stpncpy __stp* wcs* __wcs* wcp* __wcp* wmem* __wmem* wct* __wct* wcrtomb __wcrtomb_chk
         wcwidth mb* __mb* memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr memset memset_*
         memalignment __mem* rawmemchr __rawmemchr index rindex bcmp bcopy bzero __bzero explicit_bzero
         __explicit_bzero_chk swab ffs ffsl ffsll __ffs basename __xpg_basename dirname btowc c8rtomb c16rtomb
         c32rtomb isal* isascii isascii_l isblank* iscntrl* isctype isdigit* isgraph* islower* isprint* ispunct*
         isspace* isupper* isxdigit* isw* __isal* __isascii_l __isblank_l __iscntrl_l __isctype __isdigit_l
         __isgraph_l __islower_l __isprint_l __ispunct_l __isspace_l __isupper_l __isxdigit_l __isw* toascii
         toascii_l tolower tolower_l toupper toupper_l __toascii_l __tolower_l __toupper_l tow* __tow* _tolower
         _toupper __ctype_* a64l l64a atof atoi atol atoll abs labs llabs imaxabs uabs ulabs ullabs uimaxabs umaxabs
         div ldiv lldiv imaxdiv isinf* isnan* __isinf* __isnan* finite* __finite* __signbit __signbitf __signbitl copysign* frexp* ldexp*
         modf* scalbn* ecvt ecvt_r fcvt fcvt_r gcvt qecvt qecvt_r qfcvt qfcvt_r qgcvt stdc_* __isoc23_strto*
         __isoc23_wcsto* sprintf snprintf vsprintf vsnprintf asprintf vasprintf swprintf vswprintf sscanf vsscanf
         swscanf vswscanf _IO_sprintf _IO_sscanf _IO_vsprintf __sprintf_chk __snprintf_chk __vsprintf_chk
         __vsnprintf_chk __vsnprintf __vsscanf __asprintf __asprintf_chk __vasprintf_chk __swprintf_chk
         __vswprintf_chk __isoc99_sscanf __isoc99_vsscanf __isoc99_swscanf __isoc99_vswscanf __isoc23_sscanf
         __isoc23_vsscanf __isoc23_swscanf __isoc23_vswscanf parse_printf_format printf_size printf_size_info
         register_printf_* __printf_fp re_* regcomp regerror regexec regfree step advance rpmatch getsubopt getopt
         getopt_long getopt_long_only __posix_getopt argp_parse argz_* __argz_* envz_* qsort qsort_r bsearch lsearch
         lfind hcreate hcreate_r hdestroy hdestroy_r hsearch hsearch_r tsearch tfind tdelete tdestroy twalk twalk_r
         insque remque cbc_crypt ecb_crypt des_setparity xencrypt xdecrypt passwd2des rand rand_r srand random
         random_r srandom srandom_r initstate initstate_r setstate setstate_r drand48 drand48_r erand48 erand48_r
         jrand48 jrand48_r lrand48 lrand48_r mrand48 mrand48_r nrand48 nrand48_r seed48 seed48_r srand48 srand48_r
         lcong48 lcong48_r arc4random arc4random_buf arc4random_uniform getrandom getentropy"
    }
    "locales that are loaded already" {
        "localeconv nl_langinfo nl_langinfo_l __nl_langinfo_l duplocale __duplocale freelocale __freelocale uselocale
         __uselocale"
    }
    "time" {
        "time stime ftime gettimeofday __gettimeofday clock clock_getcpuclockid clock_getres clock_gettime
         clock_nanosleep nanosleep __nanosleep sleep usleep timespec_get timespec_getres times asctime asctime_r ctime
         ctime_r gmtime gmtime_r __gmtime_r localtime localtime_r mktime timegm timelocal difftime dysize alarm ualarm
         getitimer setitimer timer_*"
    }
    "signals and jumps" {
        "sigabbrev_np sigaction __sigaction sigaddset __sigaddset sigaltstack sigandset sigblock sigdelset __sigdelset
         sigdescr_np sigemptyset sigfillset siggetmask sighold sigignore siginterrupt sigisemptyset sigismember
         __sigismember siglongjmp sigorset sigpause __sigpause sigpending sigprocmask sigqueue sigrelse sigreturn
         sigset __sigsetjmp sigsetmask sigstack sigsuspend __sigsuspend sigtimedwait sigvec sigwait sigwaitinfo
         signal bsd_signal __sysv_signal sysv_signal ssignal gsignal raise kill killpg tgkill
         pidfd_send_signal pause __libc_current_sigrtmin __libc_current_sigrtmax __libc_allocate_rtsig
         __xpg_sigpause setjmp _setjmp longjmp _longjmp __longjmp_chk getcontext setcontext makecontext swapcontext"
    }
    "threads" {
        "pthread_* __pthread_* _pthread_* thrd_* mtx_* cnd_* tss_* call_once __register_atfork"
    }
    "identity, privileges, limits and scheduling of the process" {
        "getpid getppid getpgid getuid geteuid getgid getegid getsid gettid setpgid setuid seteuid setgid setegid
         setreuid setregid setresuid setresgid setsid getgroups setgroups __getgroups_chk group_member getpgrp setpgrp __bsd_getpgrp __getpgid
         __setpgid __getpid pidfd_getpid getpriority setpriority nice getrlimit getrlimit64 setrlimit setrlimit64 prlimit
         prlimit64 ulimit getrusage wait __wait wait3 wait4 waitid waitpid __waitpid sched_* __sched_* getcpu prctl
         arch_prctl __arch_prctl modify_ldt personality ptrace capget capset process_mrelease getenv setenv unsetenv
         putenv clearenv secure_getenv __secure_getenv getauxval __getauxval confstr __confstr_chk sysconf __sysconf
         getpagesize __getpagesize uname sysinfo gethostname __gethostname_chk getdomainname __getdomainname_chk
         getresuid getresgid gethostid sethostid setfsuid setfsgid gnu_get_libc_release gnu_get_libc_version gnu_dev_* posix_spawn_*
         posix_spawnattr_*"
    }
    "the normal end of a process, where iota's destructor runs in any case" {
        "exit on_exit __cxa_* atexit at_quick_exit"
    }
    "the loader: what it reads and maps is not the program's I/O" {
        "dlopen dlmopen dlclose dlsym dlvsym dlerror dlinfo dladdr dladdr1 dl_iterate_phdr _dl_*"
    }
    "the compiler's, the profiler's and the library's own entry points" {
        "__libc_start_main __errno_location __chk_fail __stack_chk_fail __fentry__ mcount _mcount moncontrol
         monstartup __monstartup _mcleanup __profile_frequency profil sprofil __cyg_profile_* backtrace
         backtrace_symbols __backtrace __backtrace_symbols __x86_get_cpuid_feature_leaf __xpg_strerror_r"
    }
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn stars_cover_any_characters() {
        assert!(covers("read", "read") && !covers("read", "readv") && !covers("readv", "read"));
        assert!(covers("str*", "str") && covers("str*", "strlen") && !covers("str*", "__strlen"));
        assert!(covers("get*id", "getpid") && !covers("get*id", "getgrgid_r"));
        assert!(covers("*", "") && covers("a*b*c", "abbc") && !covers("a*b*c", "acb"));
    }
}
