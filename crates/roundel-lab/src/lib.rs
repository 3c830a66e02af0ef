//! The laboratory: vectors, proof, measurement and reports over the registry of ciphers.
