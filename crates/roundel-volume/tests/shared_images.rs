//! The volumes of `../shared/vectors/bitlocker`, most of them made by Windows: each with each of its secrets. Their licences keep them out of this
//! repository, so these tests skip themselves where the folder is not there; `ROUNDEL_SHARED_VECTORS` names it elsewhere. Needs `xz`.

mod common;

use common::{bek, hex, nbd_hash, password, recovery, stream_hash, unlock};
use roundel_volume::bitlocker::{Despite, Metadata, Secret};
use roundel_volume::{Error, Image, Sink, Volume, copy};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// This volume's listed hash is for reserved places rounded up to sectors; ours, as those of others, end at multiples of 4096.
const EOW_PARTIAL: (&str, &str) =
    ("dissect/eow_partial.bin.xz", "6b32c4c06821754e1b037e3875d76eb4f04d1123fa725e66ed06a5bad36db049");

fn folder() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    let folder = std::env::var_os("ROUNDEL_SHARED_VECTORS").map_or_else(beside, PathBuf::from);
    let folder = folder.join("bitlocker");
    let xz = Command::new("xz").arg("--version").stdout(Stdio::null()).status();
    if folder.join("manifest.json").is_file() && xz.is_ok() {
        return Some(folder);
    }
    eprintln!("skipped: there is no {} (or no xz)", folder.display());
    None
}

struct Entry {
    value: Value,
    folder: PathBuf,
    unpacked: tempfile::NamedTempFile,
}

impl Entry {
    fn each(mut work: impl FnMut(&Entry)) {
        let Some(folder) = folder() else { return };
        let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        let entries: Vec<Value> = serde_json::from_str(&manifest).unwrap();
        assert_eq!(entries.len(), 46);
        for value in entries {
            let unpacked = tempfile::NamedTempFile::new().unwrap();
            let packed = folder.join(value["file"].as_str().unwrap());
            let into = unpacked.reopen().unwrap();
            let status = Command::new("xz").arg("-dc").arg(packed).stdout(into).status().unwrap();
            assert!(status.success());
            work(&Entry { value, folder: folder.clone(), unpacked });
        }
    }

    fn name(&self) -> &str {
        self.value["file"].as_str().unwrap()
    }

    fn secrets(&self) -> Vec<Option<Secret>> {
        let mut secrets: Vec<Option<Secret>> = Vec::new();
        secrets.extend(self.value["password"].as_str().map(|text| Some(password(text))));
        let recoveries = self.value["recovery"].as_array().into_iter().flatten();
        secrets.extend(recoveries.map(|text| Some(recovery(text.as_str().unwrap()))));
        secrets.extend(self.value["bek"].as_str().map(|path| Some(bek(&self.folder.join(path)))));
        secrets
            .extend(self.value["clear_key"].as_bool().filter(|there| *there).map(|_| Some(Secret::ClearKey)));
        if secrets.is_empty() { vec![None] } else { secrets }
    }

    /// What must be insisted on, and the refusal without.
    fn despite(&self) -> Despite {
        Despite {
            altered_metadata: self.value["mac_ok"] == Value::Bool(false),
            missing_bitmaps: self.value["note"]
                .as_str()
                .is_some_and(|note| note.contains("EOW blocks are absent")),
        }
    }

    fn unlock(&self, secret: Option<&Secret>) -> Volume {
        let despite = self.despite();
        let image = self.unpacked.path();
        let name = self.name();
        match unlock(image, secret, Despite::default()) {
            Err(Error::Altered) if despite.altered_metadata => {}
            Err(Error::NoBitmaps) if despite.missing_bitmaps => {}
            Ok(volume) if !despite.altered_metadata && !despite.missing_bitmaps => return volume,
            Ok(_) => panic!("{name}: not refused"),
            Err(error) => panic!("{name}: {error}"),
        }
        unlock(image, secret, despite).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn expected_hash(&self) -> &str {
        if self.name() == EOW_PARTIAL.0 {
            EOW_PARTIAL.1
        } else {
            self.value["plain_sha256"].as_str().unwrap()
        }
    }
}

fn hash_of(file: &mut File) -> String {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).unwrap() {
            0 => return hex(&hash.finalize()),
            bytes => hash.update(&buffer[..bytes]),
        }
    }
}

/// By reads of lengths that are no sector's.
fn hash_of_ranges(volume: &Volume) -> String {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 777_777];
    let mut offset = 0;
    while offset < volume.bytes() {
        let part = (volume.bytes() - offset).min(buffer.len() as u64) as usize;
        volume.read_at(&mut buffer[..part], offset).unwrap();
        hash.update(&buffer[..part]);
        offset += part as u64;
    }
    hex(&hash.finalize())
}

#[test]
fn metadata_says_what_the_manifest_says() {
    Entry::each(|entry| {
        let name = entry.name();
        let metadata = Metadata::read(&Image::open(entry.unpacked.path()).unwrap()).expect(name);
        let number = |key: &str| entry.value[key].as_u64().unwrap();
        assert_eq!(format!("{:?}", metadata.method), entry.value["method"].as_str().unwrap(), "{name}");
        assert_eq!(u64::from(metadata.sector_bytes), number("sector_size"), "{name}");
        assert_eq!(u64::from(metadata.layout.version()), number("version"), "{name}");
        assert_eq!(metadata.image_bytes(), number("size"), "{name}");
        assert_eq!(metadata.watermark, number("encrypted_upto"), "{name}");
        assert_eq!(
            metadata.lacks_bitmaps() && !metadata.is_decrypted(),
            entry.despite().missing_bitmaps,
            "{name}"
        );
        let damaged = name.contains("crc") || name.contains("two-damaged");
        assert_eq!(metadata.bad_copies.len(), if damaged { 2 } else { 0 }, "{name}");
    });
}

#[test]
fn each_secret_gives_the_listed_plaintext() {
    let mut unlocked = 0;
    Entry::each(|entry| {
        for (index, secret) in entry.secrets().iter().enumerate() {
            let volume = entry.unlock(secret.as_ref());
            assert!(volume.has_file_system().unwrap() || entry.despite().missing_bitmaps, "{}", entry.name());
            unlocked += 1;
            // The key of the sectors is authenticated: further secrets cannot lead to another plaintext.
            if index == 0 {
                assert_eq!(stream_hash(&volume, 2).unwrap(), entry.expected_hash(), "{}", entry.name());
            }
        }
    });
    println!("{unlocked} secrets opened their volumes");
}

/// The whole matrix: each volume, each secret, by file output, range reads and NBD. About 30 GB of work: use `--release`.
#[test]
#[ignore = "minutes; run in release"]
fn each_secret_by_each_way() {
    Entry::each(|entry| {
        for secret in entry.secrets() {
            let volume = entry.unlock(secret.as_ref());
            let (name, expected) = (entry.name(), entry.expected_hash());
            let mut file = tempfile::tempfile().unwrap();
            copy(&volume, volume.range(0, None).unwrap(), Sink::File(&file), 2, &|_| {}).unwrap();
            std::io::Seek::rewind(&mut file).unwrap();
            assert_eq!(hash_of(&mut file), expected, "{name}, file");
            drop(file);
            assert_eq!(hash_of_ranges(&volume), expected, "{name}, ranges");
            assert_eq!(nbd_hash(&volume), expected, "{name}, NBD");
            let kind = secret.map_or("no secret needed".to_owned(), |secret| secret.kind().to_string());
            println!("{name}: {kind}: file, ranges, NBD");
        }
    });
}

#[test]
fn other_secrets_are_refused() {
    let Some(folder) = folder() else { return };
    let mut tried = 0;
    Entry::each(|entry| {
        // Each try costs 2^20 rounds: some volumes are enough.
        if !entry.name().starts_with("own/") {
            return;
        }
        tried += 1;
        let path = entry.unpacked.path();
        let wrong = recovery("000000-000000-000000-000000-000000-000000-000000-000011");
        assert!(matches!(unlock(path, Some(&wrong), Despite::default()), Err(Error::WrongSecret(_))));
        let refused = unlock(path, Some(&password("wrong")), Despite::default()).err().unwrap();
        let has_password = entry.value["password"].is_string();
        assert_eq!(matches!(refused, Error::WrongSecret(_)), has_password, "{}: {refused}", entry.name());
        assert_eq!(refused.exit_code(), 12);
        let foreign = bek(&folder.join("dissect/recovery_key.bek"));
        assert_eq!(unlock(path, Some(&foreign), Despite::default()).err().unwrap().exit_code(), 12);
        if entry.value["clear_key"] != Value::Bool(true) {
            let refused = unlock(path, Some(&Secret::ClearKey), Despite::default()).err().unwrap();
            assert!(matches!(refused, Error::NoProtector { .. }));
        }
        assert!(matches!(unlock(path, None, Despite::default()), Err(Error::SecretNeeded(_))));
    });
    assert_eq!(tried, 11);
}
