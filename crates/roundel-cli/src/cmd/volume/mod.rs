//! `roundel volume`: volumes of encrypted sectors.

mod info;
mod secret;
mod sectors;
mod serve;
mod unlock;

use crate::args::Global;
use crate::error::Error;
use clap::Subcommand;
use roundel_volume::bitlocker::{Despite, Fault, Metadata};
use roundel_volume::in_place::Direction;
use roundel_volume::{Image, Volume};
use secret::SecretOptions;
use std::path::PathBuf;

/// Options of `volume`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show what a BitLocker volume says about itself without a secret
    Info(info::Options),
    /// Decrypt a BitLocker volume to a file or a pipe
    Unlock(unlock::Options),
    /// Serve a BitLocker volume, decrypted and read-only, by the NBD protocol
    Serve(serve::Options),
    /// Encrypt the sectors of a raw image, to another file or in place
    Encrypt(sectors::Options),
    /// Decrypt the sectors of a raw image, to another file or in place
    Decrypt(sectors::Options),
}

impl Options {
    /// Whether a signal must clean up after it.
    pub(crate) fn writes_files(&self) -> bool {
        match &self.verb {
            Verb::Unlock(_) => true,
            // What is changed in place goes on with the next run.
            Verb::Encrypt(options) | Verb::Decrypt(options) => !options.is_in_place(),
            Verb::Info(_) | Verb::Serve(_) => false,
        }
    }
}

/// Runs one of the verbs.
pub(crate) fn run(options: Options, global: &Global) -> Result<(), Error> {
    match options.verb {
        Verb::Info(options) => info::run(&options),
        Verb::Unlock(options) => unlock::run(&options, global),
        Verb::Serve(options) => serve::run(&options, global),
        Verb::Encrypt(options) => sectors::run(&options, global, Direction::Encrypt),
        Verb::Decrypt(options) => sectors::run(&options, global, Direction::Decrypt),
    }
}

/// What is needed to open a volume.
#[derive(Debug, clap::Args)]
pub(crate) struct OpenOptions {
    #[command(flatten)]
    secret: SecretOptions,
    /// Read on where that is refused otherwise: `altered-metadata`, `missing-bitmaps`
    #[arg(long, value_name = "WHAT", value_delimiter = ',', hide_possible_values = true)]
    despite: Vec<Accepted>,
    /// Disk image or block device; it is only read
    pub(crate) image: PathBuf,
}

/// What `--despite` takes.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Accepted {
    /// Somebody changed the metadata: the plaintext may be wrong
    AlteredMetadata,
    /// Nothing tells what is encrypted: everything is taken as encrypted
    MissingBitmaps,
}

impl OpenOptions {
    /// Opens the volume, and says what is strange about it.
    pub(crate) fn unlock(&self, global: &Global) -> Result<Volume, Error> {
        let image = Image::open(&self.image)?;
        let metadata = Metadata::read(&image)?;
        note_oddities(&metadata, global);
        let despite = Despite {
            altered_metadata: self.despite.contains(&Accepted::AlteredMetadata),
            missing_bitmaps: self.despite.contains(&Accepted::MissingBitmaps),
        };
        let secret = if metadata.is_decrypted() { None } else { self.secret.read()? };
        let volume = Volume::unlock(Box::new(image), metadata, secret.as_ref(), despite)?;
        if !volume.has_file_system()? {
            global
                .note("the first sector of the plaintext is not that of NTFS, FAT or exFAT: it may be wrong");
        }
        Ok(volume)
    }
}

fn note_oddities(metadata: &Metadata, global: &Global) {
    // A shortened image may well end before further copies.
    for bad in metadata.bad_copies.iter().filter(|bad| bad.fault != Fault::PastEnd) {
        global.note(&format!(
            "the metadata copy at {} is bad ({}): took that at {}",
            bad.offset, bad.fault, metadata.copy
        ));
    }
    let image_bytes = metadata.image_bytes();
    if let Some(encrypted) = metadata.encrypted_bytes().filter(|encrypted| *encrypted > image_bytes) {
        global.note(&format!(
            "the image ends after {image_bytes} bytes, and the volume is encrypted up to {encrypted}"
        ));
    }
}
