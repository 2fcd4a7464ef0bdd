//! Rust's standard library on files: it calls libc by names of its own choice (open64, statx, copy_file_range).

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Result, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;

fn write_all_ways() -> Result<()> {
    let mut file = File::create("file")?;
    file.write_all(b"0123456789")?;
    file.write_all_at(b"AB", 4)?;
    file.seek(SeekFrom::End(-1))?;
    file.write_all(b"end")?;
    file.sync_all()?;
    file.set_len(11)?;
    OpenOptions::new().append(true).open("file")?.write_all(b"+")?;
    println!("file: {:?}", fs::read_to_string("file")?);
    Ok(())
}

fn buffered() -> Result<()> {
    let mut lines = BufWriter::new(File::create("lines")?);
    for i in 0..5000 {
        writeln!(lines, "line {i}")?;
    }
    lines.flush()?;
    let lines = BufReader::new(File::open("lines")?).lines();
    println!("lines: {}", lines.count());
    Ok(())
}

fn names() -> Result<()> {
    println!("copied: {}", fs::copy("file", "copy")?);
    fs::rename("copy", "renamed")?;
    fs::hard_link("renamed", "linked")?;
    fs::create_dir_all("a/b/c")?;
    println!("size: {}, dir: {}", fs::metadata("linked")?.len(), fs::metadata("a")?.is_dir());
    let mut names = fs::read_dir(".")?.map(|entry| Ok(entry?.file_name())).collect::<Result<Vec<_>>>()?;
    names.sort();
    println!("{names:?}");
    fs::remove_file("linked")?;
    fs::remove_dir_all("a")
}

fn threads() -> Result<u64> {
    let file = File::create("shared")?;
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let file = &file;
            scope.spawn(move || (0..1000).try_for_each(|i| file.write_all_at(b"12345678", (i * 4 + thread) * 8)));
        }
    });
    Ok(file.metadata()?.len())
}

fn main() -> Result<()> {
    write_all_ways()?;
    buffered()?;
    names()?;
    println!("shared: {}", threads()?);
    println!("missing: {:?}", File::open("missing").map_err(|error| error.raw_os_error()).err());
    let unwound = std::panic::catch_unwind(|| {
        let _file = File::create("unwound");
        std::panic::resume_unwind(Box::new(1))
    });
    println!("unwound: {}", unwound.is_err());
    let mut byte = [0];
    println!("read: {}", File::open("file")?.read(&mut byte)?);
    Ok(())
}
