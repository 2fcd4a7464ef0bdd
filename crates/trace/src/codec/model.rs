//! What the next event of a thread is expected to be, learnt from those before it in the block.
//!
//! Both sides run [`Model::event`] over the same events and so hold the same expectations; nothing here
//! depends on what a call means, only on what followed what. All state is plain data: zeroed is new.
//! State is changed where it stands, a field at a time: copying it whole stalls on the stores before.
//!
//! Where a loop goes on as it did, [`Model::repeating`] says so, and either side may leave out the model
//! until it ends: nothing is to be told but the times.

mod calls;
mod descriptor;
mod event;
mod hash;
mod key;
mod key_fields;
mod keys;
mod lengths;
mod loops;
mod nesting;
mod second;
mod state;

pub use hash::hash;
pub use key::Key;
pub use keys::Keys;
pub use loops::Loop;
pub use state::Model;
