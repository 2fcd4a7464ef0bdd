//! strace
use super::Format;
use super::builder::Builder;
use super::lines::Lines;
pub struct Strace;
impl Format for Strace {
    fn knows(&self, _: &[u8]) -> bool {
        false
    }
    fn read(&self, _: &mut Lines, _: &mut Builder) -> anyhow::Result<()> {
        Ok(())
    }
}
