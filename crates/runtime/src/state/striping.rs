//! The tracer's own files on Lustre, which get as many stripes as there are writers.

use super::job::Path;
use super::log;
use super::settings::{self, Layouts};
use crate::sys;
use core::ffi::c_int;
use iota_trace::lustre::{ATTRIBUTE, SUPER_MAGIC};

/// `f_type` of file systems in user space.
pub const FUSE_SUPER_MAGIC: u64 = 0x6573_5546;

/// Bytes of a stripe of the tracer's own files.
const STRIPE_SIZE: u32 = 1 << 20;
/// No file has more stripes.
const MOST_STRIPES: u32 = 2000;
/// `O_LOV_DELAY_CREATE`, of old and new clients: no objects before there is a layout. Elsewhere it means nothing.
const DELAY_CREATE: c_int = 0o1_0000_0000 | libc::O_NOCTTY | libc::O_ASYNC;
/// `_IOW('f', 154, long)`
const LL_IOC_LOV_SETSTRIPE: u32 = 1 << 30 | 8 << 16 | (b'f' as u32) << 8 | 154;

/// Creates a file of the tracer's own, which must not exist; on Lustre with so many stripes.
pub fn create(path: &mut Path, stripes: u32) -> sys::Result<sys::File> {
    if !holds(path) {
        return sys::File::create_new(path.c_str(), 0);
    }
    let file = sys::File::create_new(path.c_str(), DELAY_CREATE)?;
    if let Err(error) = lay_out(&file, stripes) {
        let why = log::number(i64::from(error.0));
        log::line(&[
            path.bytes(),
            b": its stripes could not be set: errno ",
            why.bytes(),
        ]);
    }
    Ok(file)
}

fn lay_out(file: &sys::File, stripes: u32) -> sys::Result<()> {
    let count = stripes.clamp(1, MOST_STRIPES) as u16;
    let layout = iota_trace::lustre::wish(STRIPE_SIZE, count);
    // What is not Lustre itself knows the attribute at most.
    file.control(LL_IOC_LOV_SETSTRIPE, &layout)
        .or_else(|_| file.set_attribute(ATTRIBUTE, &layout))
}

/// Whether the directory that will hold `path` lies on Lustre.
fn holds(path: &mut Path) -> bool {
    let slash = path.bytes().iter().rposition(|&b| b == b'/').unwrap_or(0);
    let wish = settings::get().layouts;
    match path.with_start(slash.max(1), sys::kind_of) {
        Ok(SUPER_MAGIC) => wish != Layouts::Off,
        Ok(FUSE_SUPER_MAGIC) => wish == Layouts::Probe,
        _ => false,
    }
}
