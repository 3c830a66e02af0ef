//! `roundel volume info`: what a BitLocker volume says about itself without any secret.

use crate::error::Error;
use crate::output;
use roundel_lab::date;
use roundel_volume::Image;
use roundel_volume::bitlocker::{Layout, Metadata, State, unix_seconds};
use std::fmt::Write;
use std::path::PathBuf;

/// Options of `volume info`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Disk image or block device
    image: PathBuf,
}

/// Prints it.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let metadata = Metadata::read(&Image::open(&options.image)?)?;
    output::print(&if options.json {
        format!("{}\n", metadata.record(date::utc))
    } else {
        as_text(&metadata)
    })
}

fn state(metadata: &Metadata) -> String {
    match metadata.states {
        [now, wanted] if now == wanted => now.to_string(),
        [now, wanted] => format!("{now}; to become {wanted}"),
    }
}

fn encrypted(metadata: &Metadata) -> String {
    match metadata.encrypted_bytes() {
        Some(0) => "nothing".to_owned(),
        Some(bytes) if bytes < metadata.image_bytes() => {
            format!("up to byte {bytes}, in the clear behind it")
        }
        Some(bytes) if bytes > metadata.image_bytes() => {
            format!("up to byte {bytes}, which is behind the image's end")
        }
        Some(_) => "all of it".to_owned(),
        None if metadata.lacks_bitmaps() => "unknown: the bitmaps are missing or damaged".to_owned(),
        None if metadata.encrypt_on_write => "where the bitmaps say so".to_owned(),
        None if matches!(metadata.states[0], State::Encrypted) => "all of it".to_owned(),
        None => "unknown".to_owned(),
    }
}

fn layout(metadata: &Metadata) -> String {
    let name = match metadata.layout {
        Layout::Vista => "Windows Vista",
        Layout::Seven => "Windows 7 and later",
    };
    let to_go = if metadata.to_go { ", To Go" } else { "" };
    let on_write = if metadata.encrypt_on_write { ", encrypt-on-write" } else { "" };
    format!("version {} ({name}{to_go}{on_write})", metadata.layout.version())
}

fn as_text(metadata: &Metadata) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<11} {value}");
    };
    line("format", &format!("BitLocker, {}", layout(metadata)));
    line("method", &format!("{} ({:?})", metadata.method, metadata.method));
    line("state", &state(metadata));
    line("encrypted", &encrypted(metadata));
    line("image", &format!("{} bytes, sectors of {}", metadata.image_bytes(), metadata.sector_bytes));
    line("volume", &metadata.guid.to_string());
    let created = unix_seconds(metadata.created).map(date::utc);
    line("created", created.as_deref().unwrap_or("unknown"));
    if let Some(description) = &metadata.description {
        line("description", &description.escape_debug().to_string());
    }
    line("metadata", &format!("good copy at {}", metadata.copy));
    for bad in &metadata.bad_copies {
        line("", &format!("bad copy at {}: {}", bad.offset, bad.fault));
    }
    for protector in &metadata.protectors {
        let name =
            protector.name.as_ref().map_or(String::new(), |name| format!(" \"{}\"", name.escape_debug()));
        line("opens by", &format!("{} {}{name}", protector.kind, protector.guid));
    }
    text
}
