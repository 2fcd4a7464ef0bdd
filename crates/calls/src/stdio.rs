//! C streams.

calls! { Libc;
    "Opening and closing streams" {
        fopen(path: *const c_char, mode: *const c_char) -> *mut FILE => Stdio Open, fopen(path, mode);
        fclose(stream: *mut FILE) -> c_int => Stdio Close, fclose(stream);
    }
    "Reading and writing streams" {
        fread(buf: *mut c_void, size: size_t, nmemb: size_t, stream: *mut FILE) -> size_t => Stdio Read, stream_read(stream, size, nmemb);
        fwrite(buf: *const c_void, size: size_t, nmemb: size_t, stream: *mut FILE) -> size_t => Stdio Write, stream_write(stream, size, nmemb);
        fgets(s: *mut c_char, size: c_int, stream: *mut FILE) -> *mut c_char => Stdio Read, stream_gets(stream, size);
        fprintf(stream: *mut FILE, format: *const c_char, ...ap: va_list via vfprintf) -> c_int => Stdio Write, stream_printed(stream);
        printf(format: *const c_char, ...ap: va_list via vprintf) -> c_int => Stdio Write, stream_printed(stdout!());
        vprintf(format: *const c_char, ap: va_list) -> c_int => Stdio Write, stream_printed(stdout!());
        vfprintf(stream: *mut FILE, format: *const c_char, ap: va_list) -> c_int => Stdio Write, stream_printed(stream);
        __fprintf_chk(stream: *mut FILE, flag: c_int, format: *const c_char, ...ap: va_list via __vfprintf_chk) -> c_int => Stdio Write, stream_printed(stream);
        __vfprintf_chk(stream: *mut FILE, flag: c_int, format: *const c_char, ap: va_list) -> c_int => Stdio Write, stream_printed(stream);
    }
    "Positions of streams" {
        fseek(stream: *mut FILE, offset: c_long, whence: c_int) -> c_int => Stdio Seek, stream_seek(stream, offset, whence);
        rewind(stream: *mut FILE) -> () => Stdio Seek, stream_reposition(stream);
    }
}
