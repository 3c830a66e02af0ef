//! What ciphers that permute single bits share.

/// Transposes 8 x 8 bits: bit j of byte i becomes bit i of byte j, both counted from the least significant.
#[inline(always)]
pub(crate) const fn transpose(x: u64) -> u64 {
    let t = (x ^ x >> 7) & 0x00AA_00AA_00AA_00AA;
    let x = x ^ t ^ t << 7;
    let t = (x ^ x >> 14) & 0x0000_CCCC_0000_CCCC;
    let x = x ^ t ^ t << 14;
    let t = (x ^ x >> 28) & 0x0000_0000_F0F0_F0F0;
    x ^ t ^ t << 28
}
