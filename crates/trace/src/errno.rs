//! Names of error numbers, as Linux has them on x86_64 and aarch64.

use iota_calls::Layer;

/// `ENOENT` for 2; `None` for a number without a name.
pub fn name(errno: u16) -> Option<&'static str> {
    NAMES
        .get(usize::from(errno))
        .copied()
        .filter(|name| !name.is_empty())
}

/// The name of what a call of a layer failed with: of MPI-IO the class of the error, of PnetCDF and NetCDF their own errors if
/// it is negative.
pub fn of_layer(layer: u8, number: u16) -> Option<&'static str> {
    match Layer::of(layer) {
        Some(Layer::MpiIo) => iota_calls::MpiError::of(number).map(|class| class.name),
        Some(Layer::Pnetcdf | Layer::Netcdf) if number > i16::MAX as u16 => {
            iota_calls::nc_error(number)
        }
        _ => name(number),
    }
}

/// The number of a name that [`of_layer`] gives, and whether it is a class of MPI's errors.
pub fn any_number(name: &str) -> Option<(u16, bool)> {
    let classes = iota_calls::MPI_ERRORS.iter();
    let mut classes = classes.filter(|class| class.name.eq_ignore_ascii_case(name));
    if let Some(class) = classes.next() {
        return Some((class.standard, true));
    }
    let mut of_netcdf = iota_calls::NC_ERRORS.iter();
    let error = of_netcdf.find(|(error, _)| error.eq_ignore_ascii_case(name));
    let number = match error {
        Some((_, error)) => Some(error.wrapping_neg()),
        None => number(name),
    };
    number.map(|number| (number, false))
}

/// 2 for `ENOENT`; `None` for what is no name of one.
pub fn number(name: &str) -> Option<u16> {
    let place = NAMES.iter().position(|known| *known == name)?;
    (place > 0).then_some(place as u16)
}

static NAMES: [&str; 134] = [
    "",
    "EPERM",
    "ENOENT",
    "ESRCH",
    "EINTR",
    "EIO",
    "ENXIO",
    "E2BIG",
    "ENOEXEC",
    "EBADF",
    "ECHILD",
    "EAGAIN",
    "ENOMEM",
    "EACCES",
    "EFAULT",
    "ENOTBLK",
    "EBUSY",
    "EEXIST",
    "EXDEV",
    "ENODEV",
    "ENOTDIR",
    "EISDIR",
    "EINVAL",
    "ENFILE",
    "EMFILE",
    "ENOTTY",
    "ETXTBSY",
    "EFBIG",
    "ENOSPC",
    "ESPIPE",
    "EROFS",
    "EMLINK",
    "EPIPE",
    "EDOM",
    "ERANGE",
    "EDEADLK",
    "ENAMETOOLONG",
    "ENOLCK",
    "ENOSYS",
    "ENOTEMPTY",
    "ELOOP",
    "",
    "ENOMSG",
    "EIDRM",
    "ECHRNG",
    "EL2NSYNC",
    "EL3HLT",
    "EL3RST",
    "ELNRNG",
    "EUNATCH",
    "ENOCSI",
    "EL2HLT",
    "EBADE",
    "EBADR",
    "EXFULL",
    "ENOANO",
    "EBADRQC",
    "EBADSLT",
    "",
    "EBFONT",
    "ENOSTR",
    "ENODATA",
    "ETIME",
    "ENOSR",
    "ENONET",
    "ENOPKG",
    "EREMOTE",
    "ENOLINK",
    "EADV",
    "ESRMNT",
    "ECOMM",
    "EPROTO",
    "EMULTIHOP",
    "EDOTDOT",
    "EBADMSG",
    "EOVERFLOW",
    "ENOTUNIQ",
    "EBADFD",
    "EREMCHG",
    "ELIBACC",
    "ELIBBAD",
    "ELIBSCN",
    "ELIBMAX",
    "ELIBEXEC",
    "EILSEQ",
    "ERESTART",
    "ESTRPIPE",
    "EUSERS",
    "ENOTSOCK",
    "EDESTADDRREQ",
    "EMSGSIZE",
    "EPROTOTYPE",
    "ENOPROTOOPT",
    "EPROTONOSUPPORT",
    "ESOCKTNOSUPPORT",
    "EOPNOTSUPP",
    "EPFNOSUPPORT",
    "EAFNOSUPPORT",
    "EADDRINUSE",
    "EADDRNOTAVAIL",
    "ENETDOWN",
    "ENETUNREACH",
    "ENETRESET",
    "ECONNABORTED",
    "ECONNRESET",
    "ENOBUFS",
    "EISCONN",
    "ENOTCONN",
    "ESHUTDOWN",
    "ETOOMANYREFS",
    "ETIMEDOUT",
    "ECONNREFUSED",
    "EHOSTDOWN",
    "EHOSTUNREACH",
    "EALREADY",
    "EINPROGRESS",
    "ESTALE",
    "EUCLEAN",
    "ENOTNAM",
    "ENAVAIL",
    "EISNAM",
    "EREMOTEIO",
    "EDQUOT",
    "ENOMEDIUM",
    "EMEDIUMTYPE",
    "ECANCELED",
    "ENOKEY",
    "EKEYEXPIRED",
    "EKEYREVOKED",
    "EKEYREJECTED",
    "EOWNERDEAD",
    "ENOTRECOVERABLE",
    "ERFKILL",
    "",
];
