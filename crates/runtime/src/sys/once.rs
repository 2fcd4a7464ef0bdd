//! Values that the tracer's start sets, and that stay.

use core::cell::UnsafeCell;

/// That the tracer is starting, in one thread, and nobody else is in it: the right to set what stays.
pub struct Starting(());

impl Starting {
    /// The tracer starts.
    ///
    /// # Safety
    /// As long as this is there no other thread reads a [`Once`], and nobody has another one.
    pub unsafe fn new() -> Starting {
        Starting(())
    }
}

/// A value that is set while the tracer starts, and read ever after.
pub struct Once<T>(UnsafeCell<T>);

// SAFETY: it changes only while a `Starting` is there, when no other thread reads it.
unsafe impl<T: Send + Sync> Sync for Once<T> {}

impl<T> Once<T> {
    /// With a first value.
    pub const fn new(value: T) -> Self {
        Once(UnsafeCell::new(value))
    }

    /// The value.
    #[inline(always)]
    pub fn get(&self) -> &T {
        // SAFETY: it is not being changed, see above.
        unsafe { &*self.0.get() }
    }

    /// Changes the value where it lies: some are too large for a program's stack. `change` does not look at it otherwise.
    pub fn change<R>(&self, _: &mut Starting, change: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: nobody else has the right to look, or to change it.
        change(unsafe { &mut *self.0.get() })
    }

    /// Sets the value.
    pub fn set(&self, starting: &mut Starting, value: T) {
        self.change(starting, |place| *place = value);
    }
}
