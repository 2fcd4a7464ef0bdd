//! Rows hold to the grammar's unwritten rules, so that what is rendered from them compiles and tells the truth.

use iota_calls::{COUNT, Call, Effects, Op, Shape, TABLE, Variadic, rows};
use std::collections::BTreeSet;

fn row(name: &str) -> Option<&'static Call> {
    rows().map(|(_, call)| call).find(|call| call.name == name)
}

#[track_caller]
fn holds(what: &str, rule: impl Fn(&Call) -> bool) {
    let broken = rows().map(|(_, call)| call).filter(|call| !rule(call));
    let broken = broken.map(|call| call.name).collect::<Vec<_>>();
    assert!(broken.is_empty(), "{what}: {}", broken.join(" "));
}

#[test]
fn names_are_unique() {
    let names = rows().map(|(_, call)| call.name).collect::<BTreeSet<_>>();
    assert_eq!(names.len(), rows().count());
    assert_eq!(rows().count(), COUNT - 1);
}

#[test]
fn operations_are_indices() {
    for (op, call) in rows() {
        assert_eq!(TABLE[usize::from(op.0)].name, call.name);
        assert_eq!(op.info().map(|info| info.name), Some(call.name));
        assert_eq!(op.call().map(|call| call.name), Some(call.name));
    }
    assert_eq!(Op::NONE.info(), None);
    assert_eq!(Op(u16::MAX).info(), None);
    const PWRITE64: Op = Op::of("pwrite64");
    assert_eq!(PWRITE64.info().map(|info| info.name), Some("pwrite64"));
}

#[test]
fn every_row_tells_its_shape_what_it_asks_for() {
    holds("another number of arguments than its shape", |call| {
        call.shape.args().len() == call.args().count()
    });
    holds("a return type that its shape does not expect", |call| {
        call.shape.returns().iter().any(|ret| same(ret, call.ret))
    });
}

/// Whether two integer types are one on the 64-bit machines that iota knows
fn same(a: &str, b: &str) -> bool {
    let plain = |ty| match ty {
        "off_t" | "off64_t" | "c_long" | "ssize_t" => "long",
        "key_t" => "c_int",
        other => other,
    };
    plain(a) == plain(b)
}

#[test]
fn every_shape_is_used() {
    let used = rows().map(|(_, call)| call.shape).collect::<BTreeSet<_>>();
    let unused = Shape::ALL.iter().filter(|shape| !used.contains(shape));
    assert_eq!(unused.collect::<Vec<_>>(), Vec::<&Shape>::new());
}

#[test]
fn effects_come_back_from_their_byte() {
    for (_, call) in rows() {
        let effects = call.effects();
        assert_eq!(Effects::of_byte(effects.byte()), effects, "{}", call.name);
    }
    assert_eq!(Effects::of_byte(0xff), Effects::NONE);
}

#[test]
fn an_argument_that_may_be_absent_is_fetched_as_the_stub_knows_how() {
    holds(
        "takes one more argument of a type that no stub fetches",
        |call| match call.variadic {
            Variadic::One(more) if more.ty == "mode_t" => call
                .params()
                .last()
                .is_some_and(|last| last.name == "flags"),
            Variadic::One(more) => more.ty == "c_long",
            _ => true,
        },
    );
}

#[test]
fn a_list_of_arguments_goes_to_a_row_that_takes_it() {
    holds(
        "passes a va_list to no row that takes the same parameters",
        |call| match call.variadic {
            Variadic::List(ap, via) => row(via).is_some_and(|via| {
                let with_list = call.params().chain([ap]);
                ap.ty == "va_list" && via.params().eq(with_list) && via.ret == call.ret
            }),
            _ => true,
        },
    );
}

#[test]
fn a_variadic_function_has_a_parameter_before_the_dots() {
    holds("nothing before the dots", |call| {
        call.variadic == Variadic::No || call.params().next().is_some()
    });
}
