//! What the fuzz target and the mutation runner feed bytes to.

use super::make::{Made, repair};
use roundel_volume::bitlocker::{Despite, ExternalKey, Metadata, RecoveryPassword, Secret, Volume};

/// Takes the bytes for a BEK file, a recovery password, a volume of their own, and for what stands in place of `made`'s metadata, with its checksum
/// made right. Whatever they are, the end is an error or a volume of which every byte can be asked for; and a volume that nobody insisted on
/// has the right plaintext.
pub(crate) fn feed(made: &Made, vista: bool, bytes: &[u8]) {
    let _ = ExternalKey::parse(bytes);
    let _ = std::str::from_utf8(bytes).map(|text| text.parse::<RecoveryPassword>());
    let _ = Metadata::read(&bytes.to_vec());

    let mut image = made.image.clone();
    for copy in made.copies {
        let place = &mut image[copy as usize..];
        let length = bytes.len().min(place.len());
        place[..length].copy_from_slice(&bytes[..length]);
        repair(&mut image, copy, vista);
    }
    let Ok(metadata) = Metadata::read(&image) else { return };
    let insisted = Despite { altered_metadata: true, missing_bitmaps: true };
    for (despite, secret) in
        [(Despite::default(), Some(&Secret::ClearKey)), (insisted, Some(&Secret::ClearKey)), (insisted, None)]
    {
        let Ok(volume) = Volume::unlock(Box::new(image.clone()), metadata.clone(), secret, despite) else {
            continue;
        };
        let mut plain = vec![0; volume.bytes() as usize];
        let read = volume.read_at(&mut plain, 0);
        let trusted = !despite.altered_metadata && image[..512] == made.image[..512];
        assert!(!trusted || read.is_err() || plain == made.plain, "wrong plaintext without a word");
    }
}

/// The bytes of a volume's first copy, to start from.
pub(crate) fn seed(made: &Made) -> Vec<u8> {
    made.image[made.copies[0] as usize..][..made.covered + 88].to_vec()
}
