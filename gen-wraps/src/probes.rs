//! Probes for a link: an object with `__wrap_x` for each function that the user names, and the flags that lead calls there.

use iota_calls::refused;
use std::fmt::Write;

/// The object's source in assembly, for this processor
///
/// # Errors
/// A name that no function can have, or one that can have no probe.
pub fn probe_object(names: &[&str]) -> Result<String, String> {
    names.iter().try_for_each(|name| check(name))?;
    let mut source = String::from("    .text\n");
    for (n, name) in names.iter().enumerate() {
        source += &entry(n, name);
    }
    source += "    .data\n    .balign 8\niota_probe_linked:\n";
    for (n, name) in names.iter().enumerate() {
        writeln!(
            source,
            "    .quad .Lname{n}\n    .quad __real_{name}\n.Lstub{n}:\n    .long -1\n    .long 0"
        )
        .expect("text has room");
    }
    source += "    .section .rodata\n";
    for (n, name) in names.iter().enumerate() {
        writeln!(source, ".Lname{n}: .asciz \"{name}\"").expect("text has room");
    }
    Ok(source + &register(names.len()))
}

/// The flags, one a line
pub fn probe_flags(names: &[&str]) -> String {
    let flags = names.iter().map(|name| format!("--wrap={name}\n"));
    flags
        .chain(["--undefined=iota_probe_call\n".to_owned()])
        .collect()
}

fn check(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(format!("--probe {name:?}: not the name of a function\n"));
    }
    match refused(name.as_bytes()) {
        Some(why) => Err(format!("--probe {name}: {why}\n")),
        None => Ok(()),
    }
}

/// Before its number is known a call goes to the function.
#[cfg(target_arch = "x86_64")]
fn entry(n: usize, name: &str) -> String {
    format!(
        "    .globl __wrap_{name}\n    .type __wrap_{name}, @function\n    .balign 16\n__wrap_{name}:\n    .cfi_startproc\n    \
         endbr64\n    mov .Lstub{n}(%rip), %r11d\n    test %r11d, %r11d\n    js 1f\n    jmp \
         *iota_probe_call@GOTPCREL(%rip)\n1:  jmp *__real_{name}@GOTPCREL(%rip)\n    .cfi_endproc\n"
    )
}

#[cfg(target_arch = "aarch64")]
fn entry(n: usize, name: &str) -> String {
    format!(
        "    .globl __wrap_{name}\n    .type __wrap_{name}, %function\n    .balign 16\n__wrap_{name}:\n    .cfi_startproc\n    \
         hint #34\n    adrp x16, .Lstub{n}\n    ldr w16, [x16, :lo12:.Lstub{n}]\n    tbnz w16, #31, 1f\n    adrp x17, \
         :got:iota_probe_call\n    ldr x17, [x17, :got_lo12:iota_probe_call]\n    br x17\n1:  adrp x17, \
         :got:__real_{name}\n    ldr x17, [x17, :got_lo12:__real_{name}]\n    br x17\n    .cfi_endproc\n"
    )
}

/// Tells the tracer, before the program's own constructors.
#[cfg(target_arch = "x86_64")]
fn register(count: usize) -> String {
    format!(
        "    .text\niota_probe_tell:\n    lea iota_probe_linked(%rip), %rdi\n    mov ${count}, %esi\n    jmp \
         *iota_probe_register@GOTPCREL(%rip)\n    .section .init_array.00102, \"aw\"\n    .balign 8\n    .quad \
         iota_probe_tell\n    .section .note.GNU-stack, \"\", @progbits\n"
    )
}

#[cfg(target_arch = "aarch64")]
fn register(count: usize) -> String {
    format!(
        "    .text\niota_probe_tell:\n    adrp x0, iota_probe_linked\n    add x0, x0, :lo12:iota_probe_linked\n    mov x1, \
         #{count}\n    adrp x17, :got:iota_probe_register\n    ldr x17, [x17, :got_lo12:iota_probe_register]\n    br \
         x17\n    .section .init_array.00102, \"aw\"\n    .balign 8\n    .quad iota_probe_tell\n    .section \
         .note.GNU-stack, \"\", %progbits\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert!(probe_object(&["H5Tconvert", "write_checkpoint_"]).is_ok());
        assert!(probe_object(&["a b"]).is_err());
        assert!(probe_object(&["pwrite64"]).is_err_and(|why| why.contains("already")));
        assert!(probe_flags(&["f"]).starts_with("--wrap=f\n"));
    }
}
