//! The hash constructions as types with the traits of RustCrypto's `digest` 0.11.
//!
//! ```
//! use digest::Digest;
//! use roundel::modes::hash::digest::MatyasMeyerOseas;
//! use roundel::rustcrypto::Aes;
//!
//! let digest = MatyasMeyerOseas::<Aes>::digest(b"message");
//! assert_eq!(digest.len(), 16);
//! ```

use super::{BlockHash, Construction};
use crate::Policy;
use crate::rustcrypto::Algorithm;
use digest::common::{AlgorithmName, BlockSizeUser};
use digest::consts::U16;
use digest::{FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update};
use std::fmt;
use std::marker::PhantomData;

/// A construction as a type.
pub trait Constructed: 'static {
    /// Which.
    const CONSTRUCTION: Construction;
}

/// The construction `C` over the cipher `A` with keys and blocks of 128 bits, on the strategy that is keyed fastest here.
pub struct Hash<A, C> {
    hash: BlockHash,
    types: PhantomData<fn() -> (A, C)>,
}

/// [`Construction::DaviesMeyer`] over the cipher `A`.
pub type DaviesMeyer<A> = Hash<A, DaviesMeyerMark>;
/// [`Construction::MatyasMeyerOseas`] over the cipher `A`.
pub type MatyasMeyerOseas<A> = Hash<A, MatyasMeyerOseasMark>;
/// [`Construction::MiyaguchiPreneel`] over the cipher `A`.
pub type MiyaguchiPreneel<A> = Hash<A, MiyaguchiPreneelMark>;

/// Names [`Construction::DaviesMeyer`].
#[derive(Clone, Copy, Debug)]
pub struct DaviesMeyerMark;
/// Names [`Construction::MatyasMeyerOseas`].
#[derive(Clone, Copy, Debug)]
pub struct MatyasMeyerOseasMark;
/// Names [`Construction::MiyaguchiPreneel`].
#[derive(Clone, Copy, Debug)]
pub struct MiyaguchiPreneelMark;

impl Constructed for DaviesMeyerMark {
    const CONSTRUCTION: Construction = Construction::DaviesMeyer;
}

impl Constructed for MatyasMeyerOseasMark {
    const CONSTRUCTION: Construction = Construction::MatyasMeyerOseas;
}

impl Constructed for MiyaguchiPreneelMark {
    const CONSTRUCTION: Construction = Construction::MiyaguchiPreneel;
}

impl<A: Algorithm<BlockSize = U16>, C: Constructed> Default for Hash<A, C> {
    fn default() -> Self {
        let hash = BlockHash::planned(C::CONSTRUCTION, A::CIPHER, Policy::AnyTiming);
        Hash { hash: hash.expect("blocks and keys of 128 bits, by type"), types: PhantomData }
    }
}

impl<A, C> Clone for Hash<A, C> {
    fn clone(&self) -> Self {
        Hash { hash: self.hash.clone(), types: PhantomData }
    }
}

impl<A: Algorithm, C: Constructed> fmt::Debug for Hash<A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({}, {}, ..)", C::CONSTRUCTION.name(), A::CIPHER.name)
    }
}

impl<A: Algorithm, C: Constructed> AlgorithmName for Hash<A, C> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-128", C::CONSTRUCTION.name(), A::CIPHER.name)
    }
}

impl<A, C> HashMarker for Hash<A, C> {}

impl<A, C> BlockSizeUser for Hash<A, C> {
    type BlockSize = U16;
}

impl<A, C> OutputSizeUser for Hash<A, C> {
    type OutputSize = U16;
}

impl<A, C> Update for Hash<A, C> {
    fn update(&mut self, data: &[u8]) {
        self.hash.update(data);
    }
}

impl<A, C> Reset for Hash<A, C> {
    fn reset(&mut self) {
        self.hash.reset();
    }
}

impl<A, C> FixedOutput for Hash<A, C> {
    fn finalize_into(self, out: &mut Output<Self>) {
        out.copy_from_slice(&self.hash.finish());
    }
}

impl<A, C> FixedOutputReset for Hash<A, C> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        out.copy_from_slice(&self.hash.finish_reset());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rustcrypto::{Aes, Twofish};
    use digest::Digest;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_types_are_the_constructions() {
        let message = [0xC7];
        assert_eq!(hex(&DaviesMeyer::<Aes>::digest(message)), "2b1d0101b86367dfe14275c95da3b44f");
        let both = |digest: &[u8], construction| {
            let choice = crate::ciphers::twofish::CIPHER.strategy("reference").unwrap();
            let mut hash = BlockHash::new(construction, choice).unwrap();
            hash.update(b"a message of more than one block");
            assert_eq!(digest, hash.finish());
        };
        let message = b"a message of more than one block";
        both(&MatyasMeyerOseas::<Twofish>::digest(message), Construction::MatyasMeyerOseas);
        both(&MiyaguchiPreneel::<Twofish>::digest(message), Construction::MiyaguchiPreneel);
        let mut hash = DaviesMeyer::<Twofish>::new();
        Digest::update(&mut hash, &message[..7]);
        Digest::update(&mut hash, &message[7..]);
        both(&hash.finalize_reset(), Construction::DaviesMeyer);
    }
}
