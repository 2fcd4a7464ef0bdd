//! Values as bytes while that is short: most of what is kept of a file are small numbers, and there may be a million files.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What takes more bytes stays as it is.
const SHORT: usize = 512;

/// A value, packed if it is short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Packed<T> {
    /// In postcard's encoding.
    Short(Box<[u8]>),
    /// As it is.
    Whole(Box<T>),
}

impl<T: Clone + Default + Serialize + DeserializeOwned> Packed<T> {
    /// Packs it.
    pub fn new(value: T) -> Packed<T> {
        match postcard::to_slice(&value, &mut [0; SHORT]) {
            Ok(bytes) => Packed::Short((&*bytes).into()),
            Err(_) => Packed::Whole(Box::new(value)),
        }
    }

    /// The value.
    pub fn get(&self) -> Cow<'_, T> {
        match self {
            Packed::Short(bytes) => Cow::Owned(unpacked(bytes)),
            Packed::Whole(value) => Cow::Borrowed(value),
        }
    }

    /// The value alone.
    pub fn into_value(self) -> T {
        match self {
            Packed::Short(bytes) => unpacked(&bytes),
            Packed::Whole(value) => *value,
        }
    }

    /// Changes it.
    pub fn change(&mut self, how: impl FnOnce(&mut T)) {
        match self {
            Packed::Short(bytes) => {
                let mut value = unpacked(bytes);
                how(&mut value);
                *self = Packed::new(value);
            }
            Packed::Whole(value) => how(value),
        }
    }
}

/// What was packed; what was not, in a share that somebody else made, is nothing.
fn unpacked<T: Default + DeserializeOwned>(bytes: &[u8]) -> T {
    postcard::from_bytes(bytes).unwrap_or_default()
}

impl<T: Clone + Default + Serialize + DeserializeOwned> Default for Packed<T> {
    fn default() -> Self {
        Packed::new(T::default())
    }
}
