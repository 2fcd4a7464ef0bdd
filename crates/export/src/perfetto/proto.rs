//! Protocol Buffers' wire format, as much of it as Perfetto's trace needs: fields of numbers, bytes and messages.

/// A message under way: what its fields take so far
#[derive(Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number; negative ones take ten bytes
    pub fn number(&mut self, field: u32, number: u64) -> &mut Message {
        self.varint(u64::from(field) << 3);
        self.varint(number);
        self
    }

    /// A number in eight bytes
    pub fn fixed(&mut self, field: u32, number: u64) -> &mut Message {
        self.varint(u64::from(field) << 3 | 1);
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    /// A string, bytes, or a message that is whole
    pub fn bytes(&mut self, field: u32, bytes: &[u8]) -> &mut Message {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// A message within this one
    pub fn message(&mut self, field: u32, fill: impl FnOnce(&mut Message)) -> &mut Message {
        let mut inner = Message::default();
        fill(&mut inner);
        self.bytes(field, &inner.0)
    }
}

/// Fields of a TracePacket
pub mod packet {
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const TRACK_DESCRIPTOR: u32 = 60;
}

/// A packet of a trace
pub fn packet(sequence: u64, fill: impl FnOnce(&mut Message)) -> Vec<u8> {
    let mut trace = Message::default();
    trace.message(1, |packet| {
        packet.number(packet::SEQUENCE, sequence);
        fill(packet);
    });
    trace.0
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn bytes_are_those_of_the_specification() {
        let mut message = Message::default();
        message.number(1, 150).bytes(2, b"testing");
        message.message(3, |inner| {
            inner.number(1, 150);
        });
        message.fixed(4, 1);
        let expected = b"\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01\x21\x01\0\0\0\0\0\0\0";
        assert_eq!(message.0, expected);
    }
}
