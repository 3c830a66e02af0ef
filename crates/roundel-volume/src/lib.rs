//! # roundel-volume: volumes of encrypted sectors
//!
//! [`bitlocker`] opens volumes that Windows Vista, 7, 8, 10 and 11 encrypted, from a file or a device, and never writes to them. An opened [`Volume`] is
//! the plaintext as far as its user is concerned: [`Volume::read_at`] gives any bytes of it, [`copy()`] writes them to a file or a stream on
//! all cores, [`nbd`] serves them to other programs.
//!
//! ```no_run
//! use roundel_volume::bitlocker::{Despite, Metadata, Secret, Volume};
//! use roundel_volume::Image;
//!
//! let image = Image::open("disk.img".as_ref())?;
//! let metadata = Metadata::read(&image)?;
//! let secret = Secret::Recovery("241065-028050-370568-020504-143000-534369-119416-014190".parse()?);
//! let volume = Volume::unlock(Box::new(image), metadata, Some(&secret), Despite::default())?;
//! let mut first = [0; 512];
//! volume.read_at(&mut first, 0)?;
//! # Ok::<(), roundel_volume::Error>(())
//! ```
//!
//! [`in_place`] encrypts and decrypts the sectors of a raw image where they lie, and goes on where it was interrupted.
//!
//! Sources for the format: the documentation of libbde ("BitLocker Drive Encryption (BDE) format", J. Metz) and of dislocker, and volumes made by Windows.

pub mod bitlocker;
mod copy;
mod error;
mod fields;
mod image;
pub mod in_place;
pub mod nbd;
mod source;

pub use bitlocker::Volume;
pub use copy::{Sink, copy};
pub use error::{Error, Result};
pub use image::{LockedFile, journal_beside};
pub use source::{Image, Source};
