//! How the command is linked.

fn main() {
    // To a fixed address: otherwise 42,000 addresses on 200 pages are corrected whenever it starts, an eighth of the time of
    // a short `iota run`.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    // Where liblustreapi is linked (`make LUSTRE=/path`), the command finds it where it was.
    if let Ok(folder) = std::env::var("DEP_LUSTREAPI_FOLDER") {
        println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{folder}");
    }
}
