//! The reading side.

use super::model::{Context, Model, Next};
use super::{Whose, head};
use crate::Event;
use crate::bytes::Get;
use crate::codec::error::Error;
use crate::codec::zigzag::unzigzag;
use crate::details::{Details, MOST, MOST_FIELDS};

/// The details of a block, asked for event by event.
pub struct DetailsDecoder<'a> {
    get: Get<'a>,
    model: &'a mut Model,
    /// Details to come that are as expected.
    run: u64,
    /// How the next ones begin.
    next: Option<Begun>,
    /// The place of the next event.
    index: u32,
    found: [Details; MOST],
    is_damaged: bool,
}

/// Details whose fields are still to be read.
#[derive(Clone, Copy)]
struct Begun {
    index: u32,
    next: Next,
    mask: u32,
}

impl<'a> DetailsDecoder<'a> {
    /// Of the bytes behind a block's events; `model` needs no care.
    pub fn new(bytes: &'a [u8], model: &'a mut Model) -> Self {
        if !bytes.is_empty() {
            *model = Model::NEW;
        }
        let mut told = DetailsDecoder {
            get: Get(bytes),
            model,
            run: 0,
            next: None,
            index: 0,
            found: [Details::default(); MOST],
            is_damaged: false,
        };
        told.begin();
        told
    }

    /// Those of the next event.
    pub fn of(&mut self, event: &Event) -> &[Details] {
        let whose = Whose {
            index: self.index,
            op: event.op,
            file: event.file,
        };
        self.index = self.index.wrapping_add(1);
        let mut count = 0usize;
        while let Some(begun) = self.next.filter(|begun| begun.index == whose.index) {
            let Some(details) = self.fields(begun, whose) else {
                break;
            };
            let Some(place) = self.found.get_mut(count) else {
                self.give_up();
                break;
            };
            *place = details;
            count = count.wrapping_add(1);
            self.begin();
        }
        self.found.get(..count).unwrap_or_default()
    }

    /// Whether all events were asked for, and all details made sense.
    pub fn whole(&self) -> Result<(), Error> {
        if self.is_damaged || self.next.is_some() {
            Err(Error::Details)
        } else {
            Ok(())
        }
    }

    fn give_up(&mut self) {
        (self.next, self.is_damaged) = (None, true);
    }

    /// Reads how the next details begin, if there are any.
    fn begin(&mut self) {
        self.next = None;
        if self.run == 0 && self.get.0.is_empty() {
            return;
        }
        match self.begun() {
            Some(begun) => self.next = Some(begun),
            None => self.give_up(),
        }
    }

    fn begun(&mut self) -> Option<Begun> {
        let mask = self.mask()?;
        let mut next = self.model.next();
        if mask & head::GAP != 0 {
            next.gap = self.get.varint()?.try_into().ok()?;
        }
        if mask & head::FORM != 0 {
            next.form = self.get.varint()?.try_into().ok()?;
        }
        let index = self.model.index.checked_add(next.gap)?;
        Some(Begun { index, next, mask })
    }

    fn mask(&mut self) -> Option<u32> {
        if self.run == 0 {
            let mask: u32 = self.get.varint()?.try_into().ok()?;
            if mask != 0 {
                return (mask >> MOST_FIELDS >> head::FIELDS == 0).then_some(mask);
            }
            self.run = self.get.varint()?;
        }
        self.run = self.run.checked_sub(1)?;
        Some(0)
    }

    /// The details that have begun; none where they end too early.
    fn fields(&mut self, Begun { next, mask, .. }: Begun, whose: Whose) -> Option<Details> {
        let context = self.model.enter(next, whose);
        let details = read(&mut self.get, mask, next.form, context);
        if details.is_none() {
            self.give_up();
        }
        details
    }
}

fn read(get: &mut Get, mask: u32, form: u16, context: &mut Context) -> Option<Details> {
    let told = u32::BITS
        .wrapping_sub(mask.leading_zeros())
        .saturating_sub(head::FIELDS);
    let fields = context.fields(told as usize);
    let mut details = Details::of_width(form, fields.len());
    let fields = fields.iter_mut().zip(&mut details.values);
    for (bit, (field, value)) in (head::FIELDS..).zip(fields) {
        *value = field.expected();
        if mask >> (bit & 31) & 1 != 0 {
            *value = value.wrapping_add(unzigzag(get.varint()?) as u64);
        }
        field.learn(*value);
    }
    Some(details)
}
