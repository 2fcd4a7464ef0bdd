//! The handles of a process: what a call on a descriptor or stream is about, and whether it was seen to be opened.

use super::definitions::DefinitionWriter;
use iota_otf2::number;
use std::collections::HashMap;

/// Interface, descriptor, file (as defined)
pub type Key = (u8, i32, u32);

/// By what they are about. A handle that was closed is there again when the same file is opened as the same descriptor, so
/// that programs that open a file over and over have one.
#[derive(Default)]
pub struct Handles(HashMap<Key, State>);

struct State {
    handle: u32,
    is_open: bool,
}

impl Handles {
    /// One that is opened
    pub fn open(&mut self, definitions: &mut DefinitionWriter, key: Key) -> anyhow::Result<u32> {
        match self.0.get_mut(&key) {
            Some(state) if !state.is_open => {
                state.is_open = true;
                Ok(state.handle)
            }
            // Its close was not seen, and nothing is opened twice.
            _ => self.new_one(definitions, key, None),
        }
    }

    /// One that is used: who has not seen it opened takes it for older than the trace
    pub fn used(&mut self, definitions: &mut DefinitionWriter, key: Key) -> anyhow::Result<u32> {
        match self.0.get(&key) {
            Some(state) if state.is_open => Ok(state.handle),
            _ => self.new_one(definitions, key, Some(number::READ_WRITE)),
        }
    }

    /// One that is closed
    pub fn close(&mut self, definitions: &mut DefinitionWriter, key: Key) -> anyhow::Result<u32> {
        let handle = self.used(definitions, key)?;
        self.close_if_open(key);
        Ok(handle)
    }

    /// One that is closed if it is there
    pub fn close_if_open(&mut self, key: Key) -> Option<u32> {
        let state = self.0.get_mut(&key).filter(|state| state.is_open)?;
        state.is_open = false;
        Some(state.handle)
    }

    fn new_one(
        &mut self,
        definitions: &mut DefinitionWriter,
        key: Key,
        pre_created: Option<u8>,
    ) -> anyhow::Result<u32> {
        let (paradigm, fd, file) = key;
        let handle = definitions.handle(paradigm, fd, file, pre_created)?;
        let state = State {
            handle,
            is_open: true,
        };
        self.0.insert(key, state);
        Ok(handle)
    }
}
