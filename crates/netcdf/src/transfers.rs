//! Transfers: blocking ones, and the beginnings of others.

use crate::asks::Library;
use crate::files;
use crate::parts::{Amount, Element, Part};
use crate::requests::{self, Transfer};
use crate::variables::{self, Variable};
use crate::{Access, On, SUCCESS, outcome, span};
use core::ffi::{c_int, c_void};
use iota_calls::{Form, Op};
use iota_mpi::above::By;
use iota_runtime::library::{Span, Thread};

/// What a transfer was asked for.
#[derive(Clone, Copy)]
struct Asked {
    library: Library,
    ncid: c_int,
    varid: c_int,
    part: Part,
    element: Element,
}

impl Asked {
    /// The variable, and how much of it.
    ///
    /// # Safety
    /// A call with these arguments has just worked.
    unsafe fn describe(&self, thread: &Thread, on: &mut On) -> (Variable, Amount) {
        on.file = files::find_or_ask(self.library, thread, self.ncid);
        let Some(file) = on.file else {
            return Default::default();
        };
        let variable = variables::of(self.library, thread, file, self.ncid, self.varid);
        let all = || variable.elements(self.library, thread, file, self.ncid);
        // SAFETY: as this function's.
        let elements = unsafe { self.part.elements(variable.dimensions, all) };
        let amount = self.element.amount(self.part, elements, variable.stored);
        (variable, amount)
    }
}

/// The numbers of the form behind those that all calls have.
fn numbers(variable: &Variable, amount: &Amount) -> [u64; 5] {
    [
        amount.elements,
        amount.element,
        variable.stored,
        variable.chunk.wrapping_mul(variable.stored),
        variable.is_record.into(),
    ]
}

/// A transfer that has ended when the call returns.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the library's")]
pub unsafe fn nc_moves(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    varid: c_int,
    access: impl Into<Access>,
    part: Part,
    element: Element,
) -> c_int {
    let asked = Asked {
        library: Library::of(op, at),
        ncid,
        varid,
        part,
        element,
    };
    let on = On::of(asked.library, ncid, varid, access.into());
    let (code, span) = span(op, real);
    if let Some(span) = span {
        // SAFETY: the arguments of the call that returned this.
        unsafe { moved(span, &asked, on, code) };
    }
    code
}

/// # Safety
/// The call of these arguments returned `code`.
#[inline(never)]
unsafe fn moved(span: Span, asked: &Asked, mut on: On, code: c_int) {
    let mut note = outcome(code);
    if code != SUCCESS {
        let name = variables::name(on.file, asked.ncid, asked.varid);
        note.file = on.name();
        return span.record_detailed(note, &[on.details(Form::VARIABLE, name, &[])]);
    }
    // SAFETY: it worked.
    let (variable, amount) = unsafe { asked.describe(span.thread(), &mut on) };
    (note.file, note.length, note.ret) = (on.name(), amount.bytes, amount.bytes as i64);
    let numbers = numbers(&variable, &amount);
    span.record_detailed(note, &[on.details(Form::VARIABLE, variable.name, &numbers)]);
}

/// A transfer of several variables.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the library's")]
pub unsafe fn nc_moves_each(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    count: c_int,
    varids: *const c_int,
    by: By,
    part: Part,
    element: Element,
) -> c_int {
    let library = Library::of(op, at);
    let on = On::of(library, ncid, crate::GLOBAL, Access::Is(by));
    let (code, span) = span(op, real);
    if let Some(span) = span {
        let each = Asked {
            library,
            ncid,
            varid: crate::GLOBAL,
            part,
            element,
        };
        // SAFETY: the arguments of the call that returned this.
        unsafe { moved_each(span, &each, on, code, count, varids) };
    }
    code
}

/// # Safety
/// The call of these arguments returned `code`.
#[inline(never)]
unsafe fn moved_each(
    span: Span,
    each: &Asked,
    mut on: On,
    code: c_int,
    count: c_int,
    varids: *const c_int,
) {
    let (mut note, mut sum) = (outcome(code), Amount::default());
    let count = if code == SUCCESS { count.max(0) } else { 0 };
    for i in 0..count as usize {
        // SAFETY: it worked, on so many variables.
        let (_, amount) = unsafe {
            let one = Asked {
                varid: varids.add(i).read_unaligned(),
                part: each.part.of(i),
                element: each.element.of(i),
                ..*each
            };
            one.describe(span.thread(), &mut on)
        };
        sum.bytes = sum.bytes.wrapping_add(amount.bytes);
        sum.elements = sum.elements.wrapping_add(amount.elements);
    }
    (note.file, note.length) = (on.name(), sum.bytes);
    if code == SUCCESS {
        note.ret = sum.bytes as i64;
    }
    let numbers = numbers(&Variable::default(), &sum);
    span.record_detailed(note, &[on.details(Form::VARIABLE, 0, &numbers)]);
}

/// A nonblocking transfer: recorded when its request is waited for.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the library's")]
pub unsafe fn nc_starts(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    varid: c_int,
    part: Part,
    element: Element,
    request: *const c_int,
) -> c_int {
    let asked = Asked {
        library: Library::of(op, at),
        ncid,
        varid,
        part,
        element,
    };
    let on = On::of(asked.library, ncid, varid, Access::Is(By::One));
    let (code, span) = span(op, real);
    if let Some(span) = span {
        // SAFETY: the arguments of the call that returned this.
        unsafe { started(span, &asked, on, code, request) };
    }
    code
}

/// # Safety
/// The call of these arguments returned `code`.
#[inline(never)]
unsafe fn started(span: Span, asked: &Asked, mut on: On, code: c_int, request: *const c_int) {
    if code != SUCCESS {
        // SAFETY: as this function's.
        return unsafe { moved(span, asked, on, code) };
    }
    // SAFETY: it worked.
    let (variable, amount) = unsafe { asked.describe(span.thread(), &mut on) };
    let transfer = Transfer {
        file: on.name(),
        ranks: on.ranks(),
        bytes: amount.bytes,
        object: variable.name,
        numbers: numbers(&variable, &amount),
    };
    // SAFETY: the library has written a number there. A program that wants none waits for all.
    let number = (!request.is_null()).then(|| unsafe { request.read_unaligned() });
    requests::begin(
        asked.library,
        on.file,
        asked.ncid,
        number,
        span.keep(),
        transfer,
    );
}
