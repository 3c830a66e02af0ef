//! Where the profile of this machine is kept, and whether it may be used.

use crate::machine::cpu_name;
use roundel::Cipher;
use roundel::plan::{Fingerprint, Profile, StoredError, from_text, registry_hash, to_text};
use roundel::simd::{self, Level};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The user's cache directory of roundel: `$XDG_CACHE_HOME/roundel`, else `~/.cache/roundel`.
pub fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("roundel"))
}

/// The file of the profile: the one that `ROUNDEL_PROFILE` names, else `profile` in the cache directory.
pub fn path() -> Option<PathBuf> {
    match std::env::var_os("ROUNDEL_PROFILE") {
        Some(path) => Some(path.into()),
        None => Some(cache_folder()?.join("profile")),
    }
}

/// What a profile of this machine, program and level says of itself.
pub fn fingerprint() -> Fingerprint {
    let level = Level::ALL.into_iter().filter(|level| level.available()).max();
    Fingerprint {
        cpu: cpu_name(),
        level: level.unwrap_or(simd::cap()).name().to_owned(),
        cores: roundel::parallel::cores(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        registry: registry_hash(),
    }
}

/// The stored profile; `Ok(None)` where there is none. With `only`, of one cipher, which takes less time.
pub fn load(path: &Path, only: Option<&Cipher>) -> Result<Option<Profile>, StoredError> {
    match fs::read(path) {
        Ok(bytes) => from_text(&String::from_utf8_lossy(&bytes), &fingerprint(), only).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(_) => Err(StoredError::Damaged("it cannot be read")),
    }
}

/// Stores the profile in one step: a reader finds the old one or the new one.
pub fn save(path: &Path, profile: &Profile) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let beside = folder.join(name);
    let written = fs::File::create(&beside)
        .and_then(|mut file| {
            file.write_all(to_text(&fingerprint(), profile).as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundel::plan::estimates;

    #[test]
    fn stored_loaded_replaced_and_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/profile");
        assert_eq!(load(&path, None), Ok(None));
        let mut profile = estimates::profile(Level::Portable);
        profile.measured = true;
        save(&path, &profile).unwrap();
        assert_eq!(load(&path, None), Ok(Some(profile.clone())));
        profile.machine.thread_start_ns = 123.0;
        save(&path, &profile).unwrap();
        assert_eq!(load(&path, None).unwrap().unwrap().machine.thread_start_ns, 123.0);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");

        fs::write(&path, [0xFF; 100]).unwrap();
        assert!(matches!(load(&path, None), Err(StoredError::Damaged(_))));
        assert!(matches!(load(folder.path(), None), Err(StoredError::Damaged(_))));
    }
}
