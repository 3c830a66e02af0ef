//! The laboratory: vectors, proof, measurement and reports over the registry of ciphers.

pub mod monte_carlo;
pub mod vectors;
