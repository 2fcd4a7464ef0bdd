//! What can be wrong with an events payload.

/// Why a block's payload was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnError {
    /// It ends before its last event.
    Short,
    /// Its events are in an encoding that this version does not know.
    Encoding(u8),
    /// A column makes no sense.
    Columns,
    /// More events are announced than a block can have.
    Count,
    /// What calls say beyond their records makes no sense.
    Details,
}

impl ColumnError {
    /// In words.
    pub const fn cause(self) -> &'static str {
        match self {
            ColumnError::Short => "events end too early",
            ColumnError::Encoding(_) => "events in an encoding that this version does not know",
            ColumnError::Columns => "a column of the events is damaged",
            ColumnError::Count => "the number of events is larger than a block can have",
            ColumnError::Details => "the details of calls are damaged: some are missing",
        }
    }
}
