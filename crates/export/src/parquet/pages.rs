//! The pages of a column, in memory.

use bytes::Bytes;
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::errors::Result;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How hard pages are compressed
pub const LEVEL: i32 = 1;

/// The pages of a column, which its writer shares
#[derive(Clone)]
pub struct Pages(Arc<Mutex<PageSink>>);

struct PageSink {
    written: TrackedWrite<Vec<u8>>,
    /// What stands for the writer's dictionary of numbers
    texts: Option<Vec<u8>>,
}

impl Default for Pages {
    fn default() -> Pages {
        Pages(Arc::new(Mutex::new(PageSink {
            written: TrackedWrite::new(Vec::new()),
            texts: None,
        })))
    }
}

impl Pages {
    fn sink(&self) -> MutexGuard<'_, PageSink> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The texts that the numbers are the places of, as a page; before the column's last pages are written
    pub fn name(&self, texts: Vec<u8>) {
        self.sink().texts = Some(texts);
    }

    /// All of them
    pub fn bytes(&self) -> anyhow::Result<Bytes> {
        let empty = TrackedWrite::new(Vec::new());
        let written = std::mem::replace(&mut self.sink().written, empty);
        Ok(written.into_inner()?.into())
    }
}

impl PageWriter for Pages {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec> {
        let mut sink = self.sink();
        let page = match (page.compressed_page(), &sink.texts) {
            (Page::DictionaryPage { .. }, Some(texts)) => of_texts(page.compressed_page(), texts)?,
            _ => page,
        };
        SerializedPageWriter::new(&mut sink.written).write_page(page)
    }

    fn close(&mut self) -> Result<()> {
        SerializedPageWriter::new(&mut self.sink().written).close()
    }
}

/// A dictionary's page with texts instead of their places
fn of_texts(places: &Page, texts: &[u8]) -> Result<CompressedPage> {
    let page = Page::DictionaryPage {
        buf: zstd::bulk::compress(texts, LEVEL)?.into(),
        num_values: places.num_values(),
        encoding: places.encoding(),
        is_sorted: false,
    };
    Ok(CompressedPage::new(page, texts.len()))
}
