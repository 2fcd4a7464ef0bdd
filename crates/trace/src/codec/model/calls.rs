//! Call numbers: which calls of the thread are still open, and so which number comes next.
//!
//! Numbers are given when a call begins, events come when it ends. A number beyond the highest so far
//! means that those between began and are open: they enclose this call and end later, the last first.

const DEPTH: usize = 16;

#[repr(C)]
pub struct Calls {
    highest: u64,
    open: [OpenCall; DEPTH],
    depth: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct OpenCall {
    id: u64,
    /// When the first call in it started; `i64::MAX`: not known.
    first: i64,
}

impl Calls {
    pub const NEW: Calls = Calls {
        highest: 0,
        open: [OpenCall { id: 0, first: 0 }; DEPTH],
        depth: 0,
    };

    pub fn start(&mut self, highest: u64) {
        self.highest = highest;
    }

    #[inline(always)]
    pub fn none_open(&self) -> bool {
        self.depth == 0
    }

    /// The number of a call that neither encloses others nor is enclosed.
    #[inline(always)]
    pub fn next(&self) -> u64 {
        self.highest.wrapping_add(1)
    }

    /// Such calls were, up to this one.
    pub fn go_to(&mut self, highest: u64) {
        self.highest = highest;
    }

    /// A number as the calls that began since the highest (0: it is the next), or as the open call that
    /// ended: -1 the innermost.
    #[inline(always)]
    pub fn place(&self, id: u64) -> i64 {
        let beyond = id.wrapping_sub(self.highest) as i64;
        if beyond > 0 {
            return beyond.wrapping_sub(1);
        }
        self.place_open(id, beyond)
    }

    fn place_open(&self, id: u64, beyond: i64) -> i64 {
        let open = self.open.iter().take(self.depth).rev();
        match open.into_iter().position(|open| open.id == id) {
            Some(inner) => (inner as i64).wrapping_neg().wrapping_sub(1),
            None => beyond.wrapping_sub(self.depth as i64).wrapping_sub(1),
        }
    }

    /// The number of a place, and the start of the first call in it if it is one that was open.
    #[inline(always)]
    pub fn take(&mut self, place: i64) -> (u64, Option<i64>) {
        if place < 0 {
            return self.take_open(place);
        }
        if place > 0 {
            self.begin(place);
        }
        self.highest = self.highest.wrapping_add(place as u64).wrapping_add(1);
        (self.highest, None)
    }

    /// `count` calls began and are open; of very many, the innermost are held.
    fn begin(&mut self, count: i64) {
        let held = count.min(DEPTH as i64);
        for nth in (0..held).rev() {
            if self.depth >= DEPTH {
                self.open.rotate_left(1);
                self.depth = DEPTH.wrapping_sub(1);
            }
            let id = self.highest.wrapping_add(count.wrapping_sub(nth) as u64);
            self.push(OpenCall {
                id,
                first: i64::MAX,
            });
        }
    }

    fn push(&mut self, open: OpenCall) {
        if let Some(slot) = self.open.get_mut(self.depth) {
            *slot = open;
            self.depth = self.depth.wrapping_add(1);
        }
    }

    /// Calls inside the one that ended are over too.
    fn take_open(&mut self, place: i64) -> (u64, Option<i64>) {
        let inner = place.wrapping_add(1).wrapping_neg();
        match self.depth.checked_sub((inner as usize).wrapping_add(1)) {
            Some(at) if inner < DEPTH as i64 => {
                self.depth = at;
                let open = self.open[at & (DEPTH - 1)];
                (open.id, Some(open.first))
            }
            _ => (
                self.highest
                    .wrapping_sub((inner as u64).wrapping_sub(self.depth as u64)),
                None,
            ),
        }
    }

    /// The number that [`Calls::take`] would return, and the innermost call that would be open then, or 0;
    /// `None` where the place is not that of an open call.
    #[inline(always)]
    pub fn look(&self, place: i64) -> Option<(u64, u64)> {
        let id = self.highest.wrapping_add(place as u64).wrapping_add(1);
        match place {
            0 => Some((id, self.outer(0))),
            1.. => Some((id, id.wrapping_sub(1))),
            _ => {
                let inner = place.wrapping_add(1).wrapping_neg() as usize;
                Some((self.open_at(inner)?.id, self.outer(inner.wrapping_add(1))))
            }
        }
    }

    /// The open call with so many opened later.
    fn open_at(&self, inner: usize) -> Option<&OpenCall> {
        let at = self.depth.checked_sub(inner)?.checked_sub(1)?;
        self.open.get(at)
    }

    fn outer(&self, inner: usize) -> u64 {
        self.open_at(inner).map_or(0, |open| open.id)
    }

    /// How far before `id` the innermost open call is; 0 where none is open.
    #[inline(always)]
    pub fn distance(&self, id: u64) -> i64 {
        match self.depth {
            0 => 0,
            depth => id.wrapping_sub(self.open[depth.wrapping_sub(1) & (DEPTH - 1)].id) as i64,
        }
    }

    /// A call started inside the innermost open one.
    #[inline(always)]
    pub fn note_start(&mut self, start: i64) {
        if self.depth > 0 {
            let innermost = &mut self.open[self.depth.wrapping_sub(1) & (DEPTH - 1)];
            innermost.first = innermost.first.min(start);
        }
    }
}
