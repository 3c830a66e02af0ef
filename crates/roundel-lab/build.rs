//! Packs the repository's `vectors/` into the library, so that an installed program proves itself without them: one compressed file
//! for each vector file, and a table of their names. And tells the library who built it, for its records of measurements.

use flate2::{Compression, write::ZlibEncoder};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../vectors");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", root.display());

    let mut table = String::from("&[\n");
    for (index, (name, path)) in vector_files(&root)?.into_iter().enumerate() {
        let packed = format!("{index}.zlib");
        let mut encoder = ZlibEncoder::new(fs::File::create(out.join(&packed))?, Compression::best());
        encoder.write_all(&fs::read(path)?)?;
        encoder.finish()?;
        writeln!(table, "    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{packed}\"))),")?;
    }
    table.push_str("]\n");
    fs::write(out.join("vectors.rs"), table)?;

    let rustc = Command::new(env::var("RUSTC")?).arg("--version").output()?.stdout;
    println!("cargo::rustc-env=ROUNDEL_RUSTC={}", String::from_utf8_lossy(&rustc).trim());
    println!("cargo::rustc-env=ROUNDEL_PROFILE={}", env::var("PROFILE")?);
    if env::var_os("CARGO_FEATURE_PEERS").is_some() {
        locked_versions(&["ring", "aws-lc-rs", "aes", "cast6", "rc6", "serpent", "twofish"])?;
    }
    #[cfg(feature = "peers-c")]
    shims()?;
    Ok(())
}

/// The text files directly in the folders of `vectors/`, as "folder/file", in order of name.
fn vector_files(root: &Path) -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    let mut files = Vec::new();
    for folder in fs::read_dir(root)? {
        let folder = folder?;
        if !folder.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(folder.path())? {
            let path = file?.path();
            let known =
                path.extension().is_some_and(|ext| ["txt", "jsonl", "json"].iter().any(|e| ext == *e));
            if let (true, Some(name)) = (known, path.file_name()) {
                files.push((
                    format!("{}/{}", folder.file_name().to_string_lossy(), name.to_string_lossy()),
                    path.clone(),
                ));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The versions of these packages in `Cargo.lock`; of several the last, which is the highest.
fn locked_versions(names: &[&str]) -> Result<(), Box<dyn Error>> {
    let path = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../Cargo.lock");
    println!("cargo::rerun-if-changed={}", path.display());
    let lock = fs::read_to_string(path)?;
    for name in names {
        let heading = format!("name = \"{name}\"\nversion = \"");
        let version = lock.rsplit_once(&heading).and_then(|(_, rest)| rest.split('"').next());
        let variable = name.to_uppercase().replace('-', "_");
        println!("cargo::rustc-env=ROUNDEL_LOCKED_{variable}={}", version.unwrap_or_default());
    }
    Ok(())
}

/// Compiles the calls into libraries in C and C++, and links these.
#[cfg(feature = "peers-c")]
fn shims() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("src/peers/native/shims");
    println!("cargo::rerun-if-changed={}", folder.display());
    let (mut c, mut cpp) = (cc::Build::new(), cc::Build::new());
    c.std("c11").files(["gcrypt.c", "mcrypt.c", "tomcrypt.c"].map(|file| folder.join(file)));
    cpp.cpp(true).std("c++17").files(["botan.cpp", "cryptopp.cpp"].map(|file| folder.join(file)));
    // The shims come before the libraries that they call, and these are linked as whole programs' dependencies: in this order.
    let libraries = ["botan-2", "libcrypto++", "libgcrypt", "libtomcrypt"];
    for name in libraries {
        for path in pkg_config::Config::new().cargo_metadata(false).probe(name)?.include_paths {
            c.include(&path);
            cpp.include(&path);
        }
    }
    c.compile("roundel_shims_c");
    cpp.compile("roundel_shims_cpp");
    for name in libraries {
        pkg_config::probe_library(name)?;
    }
    // libmcrypt has no pkg-config file.
    println!("cargo::rustc-link-lib=mcrypt");
    Ok(())
}
