//! The layers of the description on the state as four little-endian words, one for each row.

/// Four rows.
pub(super) type State = [u32; 4];

/// M\[t\]: byte b is the mask m\[(t + b) mod 4\], of FC, F3, CF, 3F.
pub(super) const MASKS: [u32; 4] = [0x3FCF_F3FC, 0xFC3F_CFF3, 0xF3FC_3FCF, 0xCFF3_FC3F];

/// Gamma: byte j of row i through S\[(i + j + g) mod 4\].
pub(super) fn gamma(a: State, sboxes: &[[u8; 256]; 4], g: usize) -> State {
    std::array::from_fn(|i| {
        let bytes = a[i].to_le_bytes();
        u32::from_le_bytes(std::array::from_fn(|j| sboxes[(i + j + g) % 4][usize::from(bytes[j])]))
    })
}

/// Pi: row i becomes the sum of all rows k, masked by M\[(i + k + p) mod 4\].
pub(super) fn pi(a: State, p: usize) -> State {
    std::array::from_fn(|i| (0..4).fold(0, |sum, k| sum ^ a[k] & MASKS[(i + k + p) % 4]))
}

/// Tau: the transposition of the bytes.
pub(super) fn tau(a: State) -> State {
    let rows = a.map(u32::to_le_bytes);
    std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|j| rows[j][i])))
}

/// Phi = tau pi tau, its own inverse: how a key moves through the linear layer.
pub(super) fn phi(a: State, p: usize) -> State {
    tau(pi(tau(a), p))
}

/// Sigma: the key addition, and any other sum of states.
pub(super) fn sigma(a: State, k: State) -> State {
    std::array::from_fn(|i| a[i] ^ k[i])
}
