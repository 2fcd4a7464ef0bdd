//! What the shared object calls in the place of a function that an older C library lacks. A program that was built for such a
//! library does not need the function, but may ask for it (a weak reference, `dlsym`), and finds ours.

use iota_calls::glibc::{CALLED_BEFORE, SYSTEM_CALLS};
use iota_calls::{Call, Op};
use std::fmt::Write;

/// Stand-ins, and which function has one
pub fn stand_ins(rows: &[(Op, &'static Call)]) -> String {
    let (mut functions, mut arms) = (String::from(OTHERS), String::new());
    let row = |name: &str| rows.iter().position(|(_, call)| call.name == name);
    let number = |name: &str| row(name).unwrap_or_else(|| unreachable!("{name} is a row"));
    for (name, older) in CALLED_BEFORE {
        let before = rows[number(older)].1;
        functions += &as_older(rows[number(name)].1, before);
        let _ = writeln!(
            arms,
            "            {} if !symbols::{older}.get().is_null() => as_{name} as *mut c_void,",
            number(name)
        );
    }
    for name in SYSTEM_CALLS {
        functions += &as_system_call(rows[number(name)].1);
    }
    for name in SYSTEM_CALLS.iter().chain(OTHER_NAMES) {
        let _ = writeln!(
            arms,
            "            {} => as_{name} as *mut c_void,",
            number(name)
        );
    }
    format!(
        "{functions}
    /// What is called in the place of a function that this C library has not; null: nothing
    fn stand_in(number: u16) -> *mut c_void {{
        match number {{
{arms}            _ => ptr::null_mut(),
        }}
    }}
"
    )
}

/// By a function that was called in its place before
fn as_older(call: &Call, before: &Call) -> String {
    let version = if call.name.contains("stat") {
        "STAT_VERSION"
    } else {
        "0"
    };
    let given = call.params().zip(before.params().skip(1));
    let given = given.map(|(param, before)| match param.ty == before.ty {
        true => format!(", {}", param.name),
        false => format!(", &raw mut {}", param.name),
    });
    let given = given.collect::<String>();
    function(call, &format!("{}({version}{given})", before.name))
}

/// By the system call of the same name
fn as_system_call(call: &Call) -> String {
    let given = call
        .params()
        .map(|param| format!(", {} as c_long", param.name));
    let absent = vec![", 0"; 6 - call.params().count()];
    let (name, ret) = (call.name, call.ret);
    let given = given.collect::<String>() + &absent.concat();
    function(call, &format!("syscall(SYS_{name}{given}) as {ret}"))
}

fn function(call: &Call, body: &str) -> String {
    let params = call
        .params()
        .map(|param| format!("mut {}: {}, ", param.name, param.ty));
    format!(
        "
    #[allow(unused_mut)]
    unsafe extern \"C\" fn as_{}({}) -> {} {{
        // SAFETY: the caller's arguments, which this takes as well
        unsafe {{ {body} }}
    }}
",
        call.name,
        params.collect::<String>(),
        call.ret,
    )
}

/// The stand-ins in [`OTHERS`]
const OTHER_NAMES: &[&str] = &["closefrom", "pidfd_spawn", "pidfd_spawnp"];

const OTHERS: &str = r#"
    /// `_STAT_VER` of <bits/stat.h>
    const STAT_VERSION: c_int = if cfg!(target_arch = "x86_64") { 1 } else { 0 };

    /// It cannot fail: where the kernel has no call for it, either, each descriptor that there may be is closed
    unsafe extern "C" fn as_closefrom(lowfd: c_int) {
        let errno = iota_runtime::sys::errno();
        let low = lowfd.max(0);
        let mut limit = rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: descriptors that the caller wants closed; the kernel fills `limit`
        unsafe {
            if as_close_range(low as c_uint, c_uint::MAX, 0) != 0 {
                let at = &raw mut limit as c_long;
                syscall(SYS_prlimit64, 0, RLIMIT_NOFILE as c_long, 0, at, 0, 0);
            }
            for fd in low..c_int::try_from(limit.rlim_cur).unwrap_or(c_int::MAX) {
                syscall(SYS_close, fd.into(), 0, 0, 0, 0, 0);
            }
        }
        iota_runtime::sys::set_errno(errno);
    }

    /// Returns an error's number, and nothing else
    extern "C" fn as_pidfd_spawn() -> c_int {
        ENOSYS
    }
    use as_pidfd_spawn as as_pidfd_spawnp;
"#;
