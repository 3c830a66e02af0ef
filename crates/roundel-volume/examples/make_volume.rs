//! Writes a BitLocker volume of any size, which opens with its clear key, for measurements:
//!
//!     cargo run --release -p roundel-volume --example make_volume -- 0x8001 1024 volume.img    # MiB

#[path = "../tests/common/make.rs"]
mod make;

use make::{Wish, make};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [method, mebibytes, path] = arguments.as_slice() else {
        eprintln!("usage: make_volume METHOD MEBIBYTES FILE, the method as 0x8000 to 0x8005");
        return ExitCode::from(2);
    };
    let method = u16::from_str_radix(method.trim_start_matches("0x"), 16).expect("METHOD is hexadecimal");
    let bytes = mebibytes.parse::<u64>().expect("MEBIBYTES is a number") << 20;
    let volume = make(Wish { method, bytes, watermark: bytes, for_others: true, ..Wish::default() });
    std::fs::write(path, volume.image).expect("FILE can be written");
    ExitCode::SUCCESS
}
