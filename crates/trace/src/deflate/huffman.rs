//! Canonical Huffman codes of so many bits at most.

/// More than any alphabet has.
pub const SYMBOLS: usize = 512;
/// No code is longer.
pub const MAX_BITS: u32 = 11;
const INDEX: usize = SYMBOLS - 1;

/// Room to work in.
#[repr(C)]
pub struct CodeBuffers {
    /// Count << 16 | symbol.
    sorted: [u32; SYMBOLS],
    tree: [u32; SYMBOLS],
    /// The symbols that occur, in ascending order.
    used: [u16; SYMBOLS],
}

impl CodeBuffers {
    pub const NEW: CodeBuffers = CodeBuffers {
        sorted: [0; SYMBOLS],
        tree: [0; SYMBOLS],
        used: [0; SYMBOLS],
    };
}

/// Codes by length: how many, or the next to give out.
type PerLength = [u32; 32];

/// Turns the symbols' counts into their codes (code << 4 | length, low bit first), at most `longest` bits long, of two
/// symbols or more. Counts add up to less than 4096.
pub fn code(symbols: &mut [u16; SYMBOLS], buffers: &mut CodeBuffers, longest: u32) {
    let n = collect(symbols, buffers);
    buffers.sort(n);
    let lengths = limit(buffers.depths(n), longest);
    assign(symbols, buffers, n, lengths);
    canonical(symbols, buffers.used.get(..n).unwrap_or(&[]), lengths);
}

/// Finds the symbols that occur.
fn collect(symbols: &[u16; SYMBOLS], buffers: &mut CodeBuffers) -> usize {
    let mut n = 0usize;
    for (base, some) in symbols.as_chunks::<32>().0.iter().enumerate() {
        if some.iter().fold(0, |any, count| any | count) == 0 {
            continue;
        }
        for (i, count) in some.iter().enumerate().filter(|(_, count)| **count > 0) {
            let symbol = base.wrapping_mul(32).wrapping_add(i) as u32;
            buffers.sorted[n & INDEX] = u32::from(*count) << 16 | symbol;
            buffers.used[n & INDEX] = symbol as u16;
            n = n.wrapping_add(1);
        }
    }
    n
}

impl CodeBuffers {
    /// By count, the rarest first; symbols of equal counts keep their order.
    fn sort(&mut self, n: usize) {
        radix(&self.sorted, &mut self.tree, n, 16);
        radix(&self.tree, &mut self.sorted, n, 22);
    }

    /// How many codes of each length an unlimited code has (Moffat and Katajainen, in place).
    fn depths(&mut self, n: usize) -> PerLength {
        for (node, entry) in self.tree.iter_mut().zip(&self.sorted).take(n) {
            *node = entry >> 16;
        }
        self.join(n);
        self.leaves(n)
    }

    fn node(&self, i: usize) -> u32 {
        self.tree[i & INDEX]
    }

    /// Joins the two lightest nodes until one is left; `tree` then holds each inner node's parent.
    fn join(&mut self, n: usize) {
        let (mut root, mut leaf) = (0, 0);
        for next in 0..n.wrapping_sub(1) {
            let mut weight = 0u32;
            for _ in 0..2 {
                if leaf >= n || (root < next && self.node(root) < self.node(leaf)) {
                    weight = weight.wrapping_add(self.node(root));
                    self.tree[root & INDEX] = next as u32;
                    root = root.wrapping_add(1);
                } else {
                    weight = weight.wrapping_add(self.node(leaf));
                    leaf = leaf.wrapping_add(1);
                }
            }
            self.tree[next & INDEX] = weight;
        }
    }

    /// Each level has twice as many nodes as the one above has inner ones; those that are not inner are leaves.
    fn leaves(&mut self, n: usize) -> PerLength {
        let mut inner: PerLength = [0; 32];
        let root = n.wrapping_sub(2) & INDEX;
        self.tree[root] = 0;
        inner[0] = 1;
        for i in (0..root).rev() {
            let depth = self.node(self.node(i) as usize).wrapping_add(1);
            self.tree[i & INDEX] = depth;
            inner[depth as usize & 31] = inner[depth as usize & 31].wrapping_add(1);
        }
        let mut leaves: PerLength = [0; 32];
        for depth in 1..32usize {
            let nodes = inner[depth.wrapping_sub(1) & 31].wrapping_mul(2);
            leaves[depth & 31] = nodes.wrapping_sub(inner[depth & 31]);
        }
        leaves
    }
}

fn radix(from: &[u32; SYMBOLS], to: &mut [u32; SYMBOLS], n: usize, shift: u32) {
    let digit = |entry: u32| (entry >> shift) as usize & 0x3F;
    let mut places = [0u16; 64];
    for entry in from.iter().take(n) {
        places[digit(*entry)] = places[digit(*entry)].wrapping_add(1);
    }
    let mut sum = 0u16;
    for place in &mut places {
        let count = *place;
        *place = sum;
        sum = sum.wrapping_add(count);
    }
    for entry in from.iter().take(n) {
        let place = &mut places[digit(*entry)];
        to[usize::from(*place) & INDEX] = *entry;
        *place = place.wrapping_add(1);
    }
}

/// Shortens codes that are too long at the least cost in others (as JPEG does); the code stays complete.
fn limit(mut lengths: PerLength, longest: u32) -> PerLength {
    for long in ((longest as usize).wrapping_add(1)..32).rev() {
        while lengths[long & 31] > 0 {
            let mut short = long.wrapping_sub(2);
            while short > 1 && lengths[short & 31] == 0 {
                short = short.wrapping_sub(1);
            }
            lengths[long & 31] = lengths[long & 31].wrapping_sub(2);
            let up = long.wrapping_sub(1) & 31;
            lengths[up] = lengths[up].wrapping_add(1);
            let down = short.wrapping_add(1) & 31;
            lengths[down] = lengths[down].wrapping_add(2);
            lengths[short & 31] = lengths[short & 31].wrapping_sub(1);
        }
    }
    lengths
}

/// Gives each symbol its length in place of its count, the longest to the rarest; returns the bits that all take.
fn assign(
    symbols: &mut [u16; SYMBOLS],
    buffers: &CodeBuffers,
    n: usize,
    lengths: PerLength,
) -> u32 {
    let mut entries = buffers.sorted.iter().take(n);
    let mut bits = 0u32;
    for length in (1..=MAX_BITS).rev() {
        for entry in entries
            .by_ref()
            .take(lengths[length as usize & 31] as usize)
        {
            symbols[*entry as usize & INDEX] = length as u16;
            bits = bits.wrapping_add((entry >> 16).wrapping_mul(length));
        }
    }
    bits
}

/// The first code of each length: shorter codes come first, equal lengths in the order of symbols.
fn first_codes(lengths: PerLength) -> PerLength {
    let mut next: PerLength = [0; 32];
    let mut code = 0u32;
    for length in 1..=MAX_BITS as usize {
        code = code.wrapping_add(lengths[length.wrapping_sub(1) & 31]) << 1;
        next[length & 31] = code;
    }
    next
}

fn canonical(symbols: &mut [u16; SYMBOLS], used: &[u16], lengths: PerLength) {
    let mut next = first_codes(lengths);
    for symbol in used {
        let symbol = &mut symbols[usize::from(*symbol) & INDEX];
        let length = u32::from(*symbol) & 15;
        *symbol = reversed(take(&mut next, length), length) << 4 | length as u16;
    }
}

fn take(next: &mut PerLength, length: u32) -> u32 {
    let slot = &mut next[length as usize & 31];
    let code = *slot;
    *slot = slot.wrapping_add(1);
    code
}

fn reversed(code: u32, length: u32) -> u16 {
    (code << (32u32.wrapping_sub(length) & 31)).reverse_bits() as u16
}
