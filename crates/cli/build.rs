//! Where liblustreapi is linked (`make LUSTRE=/path`), the command finds it where it was.

fn main() {
    if let Ok(folder) = std::env::var("DEP_LUSTREAPI_FOLDER") {
        println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{folder}");
    }
}
