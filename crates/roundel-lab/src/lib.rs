//! The laboratory: vectors, proof, measurement and reports over the registry of ciphers.

pub mod bench;
pub mod clock;
pub mod compare;
pub mod date;
pub mod generate;
pub mod list;
pub mod machine;
pub mod measure;
pub mod monte_carlo;
#[cfg(feature = "peers")]
pub mod peers;
pub mod planning;
pub mod predict;
pub mod queue;
pub mod report;
mod rounds;
pub mod stats;
pub mod studies;
pub mod tune;
pub mod vectors;
pub mod verify;
