//! An interpreter: its version, and where its types are.

use crate::layout::Layout;
use iota_unwind::Memory;

/// An interpreter: its version, and where its types are.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter {
    pub(crate) layout: Layout,
    /// `PyCode_Type`
    pub(crate) code_type: usize,
    /// `PyUnicode_Type`
    pub(crate) text_type: usize,
}

/// Addresses of the interpreter's symbols.
#[derive(Clone, Copy, Debug)]
pub struct Symbols {
    /// `PyCode_Type`
    pub code_type: usize,
    /// `PyUnicode_Type`
    pub text_type: usize,
    /// `_PyRuntime`
    pub runtime: usize,
}

impl Interpreter {
    /// That of a version, as `Py_GetVersion` says it. None: where things lie is not known for it.
    pub fn new(version: &[u8], symbols: Symbols, memory: &impl Memory) -> Option<Interpreter> {
        let mut numbers = version.split(|byte| !byte.is_ascii_digit());
        let mut number = || {
            let digits = numbers.next()?;
            let value = digits.iter().fold(0u32, |value, digit| {
                value
                    .wrapping_mul(10)
                    .wrapping_add(u32::from(digit.wrapping_sub(b'0')))
            });
            (!digits.is_empty() && digits.len() <= 3).then_some(value)
        };
        let version = (number()?, number()?);
        Some(Interpreter {
            layout: Layout::of(version, symbols.runtime, memory)?,
            code_type: symbols.code_type,
            text_type: symbols.text_type,
        })
    }
}
