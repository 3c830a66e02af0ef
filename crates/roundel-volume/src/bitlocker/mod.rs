//! BitLocker volumes: metadata, protectors, keys, and the map from what a user sees to what is stored.
//!
//! | to | call |
//! |---|---|
//! | look at a volume without a secret | [`Metadata::read`] |
//! | check a secret's form | [`RecoveryPassword`], [`ExternalKey::parse`] |
//! | open it | [`Volume::unlock`] |
//!
//! Three things vouch for the metadata: a CRC-32 in each of its three copies; a SHA-256 sealed under the volume's master key (VMK); and the tags of
//! the sealed keys. The sectors themselves are not authenticated.

mod boot;
mod datum;
mod eow;
mod map;
mod metadata;
mod protector;
mod record;
mod secret;
mod unwrap;
mod volume;

pub use boot::Layout;
pub use datum::Guid;
pub use metadata::{BadCopy, Fault, Metadata, Method, State};
pub use protector::{Protector, ProtectorKind};
pub use record::unix_seconds;
pub use secret::{ExternalKey, RecoveryPassword, Secret};
pub use volume::{Despite, Volume};
