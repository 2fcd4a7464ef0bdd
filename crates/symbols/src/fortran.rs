//! Names that compilers of Fortran give to procedures.

/// The name of a procedure as its source has it: without its module, and what the compiler adds. `is_fortran`: it is known to
/// be of Fortran. None: it is no such name.
pub fn plain(name: &str, is_fortran: bool) -> Option<&str> {
    // gfortran: __module_MOD_procedure
    if let Some(rest) = name.strip_prefix("__")
        && let Some((_, procedure)) = rest.rsplit_once("_MOD_")
    {
        return named(procedure);
    }
    // flang: _QMmodulePprocedure, _QPprocedure, _QFouterPinner; its own letters are capital ones, those of names are not
    if name.starts_with("_QM") || name.starts_with("_QP") || name.starts_with("_QF") {
        return named(name.rsplit_once('P')?.1);
    }
    if !is_fortran {
        return None;
    }
    // ifort, ifx: module_mp_procedure_
    let procedure = name
        .rsplit_once("_mp_")
        .map_or(name, |(_, procedure)| procedure);
    // gfortran: inner procedures of a program have a number behind a dot
    let procedure = match procedure.rsplit_once('.') {
        Some((before, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => before,
        _ => procedure,
    };
    let plain = match procedure {
        "MAIN__" => procedure,
        _ => procedure.strip_suffix('_').unwrap_or(procedure),
    };
    named(plain)
}

fn named(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_of_procedures() {
        for (name, is_fortran, expected) in [
            (
                "__checkpoints_MOD_write_checkpoint",
                false,
                Some("write_checkpoint"),
            ),
            (
                "_QMcheckpointsPwrite_checkpoint",
                false,
                Some("write_checkpoint"),
            ),
            ("_QPrelax", false, Some("relax")),
            ("_QMmFouterPinner", false, Some("inner")),
            (
                "checkpoints_mp_write_checkpoint_",
                true,
                Some("write_checkpoint"),
            ),
            ("relax_", true, Some("relax")),
            ("relax.0", true, Some("relax")),
            ("MAIN__", true, Some("MAIN__")),
            ("solver", true, Some("solver")),
            ("relax_", false, None),
            ("_QMmodule", false, None),
            ("__wrap_write", false, None),
            ("_", true, None),
            ("", true, None),
        ] {
            assert_eq!(plain(name, is_fortran), expected, "{name}");
        }
    }
}
