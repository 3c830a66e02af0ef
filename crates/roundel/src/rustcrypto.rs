//! Every cipher as types with the traits of RustCrypto's `cipher` 0.5, so that other people's modes run over our strategies.
//!
//! A [`Keyed<A, K>`] is the cipher `A` with a key of `K` bytes, on its preferred strategy for this CPU: of constant time where it has
//! one, any other where not ([`Keyed::strategy`] says which). [`Aes128`] and its like are aliases.
//!
//! ```
//! use cipher::{KeyIvInit, StreamCipher};
//!
//! let mut ctr = ctr::Ctr128BE::<roundel::rustcrypto::Serpent256>::new(&[0x42; 32].into(), &[0; 16].into());
//! let mut message = *b"any length";
//! ctr.apply_keystream(&mut message);
//! ```

use crate::{Cipher, Kernel, Policy, Strategy, ciphers};
use cipher::array::{Array, ArraySize};
use cipher::consts::{U16, U24, U32, U64};
use cipher::{
    AlgorithmName, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt,
    BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, InOutBuf, Key,
    KeyInit, KeySizeUser, ParBlocks, ParBlocksSizeUser,
};
use std::fmt;
use std::marker::PhantomData;

/// A cipher as a type.
pub trait Algorithm: 'static {
    /// The cipher in the registry.
    const CIPHER: &'static Cipher;
    /// Its block in bytes.
    type BlockSize: ArraySize<ArrayType<u8>: Copy>;
    /// The bytes of a run of blocks.
    fn flat(blocks: &mut [Array<u8, Self::BlockSize>]) -> &mut [u8];
}

/// The cipher `A` with a key of `K` bytes.
pub struct Keyed<A, K> {
    kernel: Box<dyn Kernel>,
    strategy: &'static Strategy,
    types: PhantomData<fn() -> (A, K)>,
}

impl<A: Algorithm, K> Keyed<A, K> {
    /// The strategy that runs.
    pub fn strategy(&self) -> &'static Strategy {
        self.strategy
    }
}

impl<A: Algorithm, K> fmt::Debug for Keyed<A, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyed({}, {}, ..)", A::CIPHER.name, self.strategy.name)
    }
}

impl<A: Algorithm, K: ArraySize> AlgorithmName for Keyed<A, K> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", A::CIPHER.name, 8 * K::USIZE)
    }
}

impl<A: Algorithm, K: ArraySize> KeySizeUser for Keyed<A, K> {
    type KeySize = K;
}

impl<A: Algorithm, K: ArraySize> KeyInit for Keyed<A, K> {
    fn new(key: &Key<Self>) -> Self {
        let constant = A::CIPHER.best(Policy::ConstantTime);
        let choice =
            constant.or_else(|_| A::CIPHER.best(Policy::AnyTiming)).expect("the reference runs everywhere");
        let kernel = choice.kernel(key).expect("the aliases give lengths that the cipher takes");
        Keyed { kernel, strategy: choice.strategy, types: PhantomData }
    }
}

impl<A: Algorithm, K> BlockSizeUser for Keyed<A, K> {
    type BlockSize = A::BlockSize;
}

impl<A: Algorithm, K> BlockCipherEncrypt for Keyed<A, K> {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = A::BlockSize>) {
        f.call(&Backend::<A>(&*self.kernel, PhantomData));
    }
}

impl<A: Algorithm, K> BlockCipherDecrypt for Keyed<A, K> {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = A::BlockSize>) {
        f.call(&Backend::<A>(&*self.kernel, PhantomData));
    }
}

/// Hands runs of blocks to the kernel: one virtual call for 64 of them, which fills every strategy's batch a few times.
struct Backend<'k, A>(&'k dyn Kernel, PhantomData<A>);

impl<A: Algorithm> BlockSizeUser for Backend<'_, A> {
    type BlockSize = A::BlockSize;
}

impl<A: Algorithm> ParBlocksSizeUser for Backend<'_, A> {
    type ParBlocksSize = U64;
}

impl<A: Algorithm> BlockCipherEncBackend for Backend<'_, A> {
    fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.0.encrypt(block.into_out_with_copied_in());
    }

    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.encrypt(A::flat(blocks.into_out_with_copied_in()));
    }

    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.0.encrypt(A::flat(blocks.into_out_with_copied_in()));
    }
}

impl<A: Algorithm> BlockCipherDecBackend for Backend<'_, A> {
    fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.0.decrypt(block.into_out_with_copied_in());
    }

    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.decrypt(A::flat(blocks.into_out_with_copied_in()));
    }

    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.0.decrypt(A::flat(blocks.into_out_with_copied_in()));
    }
}

/// One line for each cipher: the type that names it, its registry entry, its block, and its aliases for keys of 128, 192 and 256 bits.
macro_rules! algorithms {
    ($($name:ident: $cipher:path, $block:ty => $k128:ident $k192:ident $k256:ident;)*) => {
        $(
            #[doc = concat!("The cipher [`", stringify!($cipher), "`](crate::", stringify!($cipher), ").")]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Algorithm for $name {
                const CIPHER: &'static Cipher = &$cipher;
                type BlockSize = $block;

                fn flat(blocks: &mut [Array<u8, $block>]) -> &mut [u8] {
                    Array::cast_slice_to_core_mut(blocks).as_flattened_mut()
                }
            }

            #[doc = concat!("[`", stringify!($name), "`] with a 128-bit key.")]
            pub type $k128 = Keyed<$name, U16>;
            #[doc = concat!("[`", stringify!($name), "`] with a 192-bit key.")]
            pub type $k192 = Keyed<$name, U24>;
            #[doc = concat!("[`", stringify!($name), "`] with a 256-bit key.")]
            pub type $k256 = Keyed<$name, U32>;
        )*

        #[cfg(test)]
        const ALGORITHMS: &[(&Cipher, usize)] = &[$(($name::CIPHER, <$block as cipher::typenum::Unsigned>::USIZE)),*];
    };
}

algorithms! {
    Aes: ciphers::rijndael::CIPHER, U16 => Aes128 Aes192 Aes256;
    RijndaelBlock192: ciphers::rijndael::BLOCK192, U24 => RijndaelBlock192Key128 RijndaelBlock192Key192 RijndaelBlock192Key256;
    RijndaelBlock256: ciphers::rijndael::BLOCK256, U32 => RijndaelBlock256Key128 RijndaelBlock256Key192 RijndaelBlock256Key256;
    Cast256: ciphers::cast256::CIPHER, U16 => Cast256Key128 Cast256Key192 Cast256Key256;
    CryptonV05: ciphers::crypton::V05, U16 => CryptonV05Key128 CryptonV05Key192 CryptonV05Key256;
    CryptonV10: ciphers::crypton::V10, U16 => CryptonV10Key128 CryptonV10Key192 CryptonV10Key256;
    Deal: ciphers::deal::CIPHER, U16 => Deal128 Deal192 Deal256;
    Dfc: ciphers::dfc::CIPHER, U16 => Dfc128 Dfc192 Dfc256;
    E2: ciphers::e2::CIPHER, U16 => E2Key128 E2Key192 E2Key256;
    Frog: ciphers::frog::CIPHER, U16 => Frog128 Frog192 Frog256;
    Hpc: ciphers::hpc::CIPHER, U16 => Hpc128 Hpc192 Hpc256;
    HpcRepaired: ciphers::hpc::REPAIRED, U16 => HpcRepaired128 HpcRepaired192 HpcRepaired256;
    Loki97: ciphers::loki97::CIPHER, U16 => Loki97Key128 Loki97Key192 Loki97Key256;
    Magenta: ciphers::magenta::CIPHER, U16 => Magenta128 Magenta192 Magenta256;
    Mars: ciphers::mars::CIPHER, U16 => Mars128 Mars192 Mars256;
    MarsRound1: ciphers::mars::ROUND1, U16 => MarsRound1Key128 MarsRound1Key192 MarsRound1Key256;
    Rc6: ciphers::rc6::CIPHER, U16 => Rc6Key128 Rc6Key192 Rc6Key256;
    SaferPlus: ciphers::safer_plus::CIPHER, U16 => SaferPlus128 SaferPlus192 SaferPlus256;
    Serpent: ciphers::serpent::CIPHER, U16 => Serpent128 Serpent192 Serpent256;
    Twofish: ciphers::twofish::CIPHER, U16 => Twofish128 Twofish192 Twofish256;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CIPHERS;

    #[test]
    fn every_cipher_has_its_line() {
        for cipher in CIPHERS {
            let there = ALGORITHMS.iter().any(|(named, _)| std::ptr::eq(*named, *cipher));
            assert!(there, "{} lacks a line in rustcrypto.rs", cipher.name);
        }
    }

    #[test]
    fn every_line_takes_its_blocks_and_keys() {
        for (cipher, block_bytes) in ALGORITHMS {
            assert_eq!(cipher.block_bytes, *block_bytes, "{}", cipher.name);
            assert!([16, 24, 32].into_iter().all(|bytes| cipher.keys.accepts(bytes)), "{}", cipher.name);
        }
    }
}
