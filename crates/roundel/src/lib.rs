//! # roundel: symmetric ciphers, each run in several ways
//!
//! Four nouns carry the crate:
//!
//! * a [`Cipher`] is an algorithm with its key sizes (`rijndael`, `serpent`, ...);
//! * a [`Strategy`] is one way to run it (`reference`, `ttable`, `bitslice-256`, `aes-round-256`);
//!   it says what CPU it needs, what memory it takes and whether its timing depends on secrets;
//! * a [`Kernel`] is a strategy with a key in it, ready for runs of blocks;
//! * a mode ([`modes`]) is what is done with a kernel: ECB, CBC, CTR, XTS, GCM, CCM.
//!
//! ```
//! use roundel::{Policy, cipher, modes::Ctr};
//!
//! let aes = cipher("aes").expect("an alias of rijndael");
//! let kernel = aes.best(Policy::ConstantTime)?.kernel(&[0x42; 32])?;
//! let mut message = *b"sixteen byte run and a bit more";
//! Ctr::new(&*kernel, &[0; 16])?.apply(&mut message);
//! Ctr::new(&*kernel, &[0; 16])?.apply(&mut message);
//! assert_eq!(&message, b"sixteen byte run and a bit more");
//! # Ok::<(), roundel::Error>(())
//! ```
//!
//! ## Map
//!
//! | module | what is there |
//! |---|---|
//! | [`ciphers`] | [`CIPHERS`] and one folder per cipher, one file per strategy |
//! | [`modes`] | one file per mode, written once over [`Kernel`] |
//! | [`simd`] | CPU levels, tokens and lanes: the only `unsafe` code of the crate |
//! | [`parallel`] | one thread or many, written once |
//! | [`one_shot`] | one message under one key in one call, without allocation |
//! | [`plan`] | which strategy on how many threads, by this machine's costs |
//!
//! Everything works in place on byte slices; all byte strings are in natural order.

mod cipher;
pub mod ciphers;
mod error;
mod keying;
pub mod memory;
pub mod modes;
pub mod one_shot;
pub mod parallel;
pub mod plan;
#[cfg(feature = "rustcrypto")]
pub mod rustcrypto;
pub mod simd;

pub use cipher::{Choice, Cipher, Kernel, KeySizes, Memory, Policy, Standing, Strategy, Timing};
pub use ciphers::{CIPHERS, cipher};
pub use error::Error;
pub use keying::{Keying, Run};
