//! The eight S-boxes as tables (AES proposal, appendix A.5). The circuits in `circuits.rs` are tested against them.

/// S-box i maps the nibble v to `S[i][v]`. They were drawn from the S-boxes of DES by the published procedure of the proposal's section 3:
/// no differential above 1/4, no linear relation beyond 1/2 ± 1/4, algebraic degree 3.
pub(super) const S: [[u8; 16]; 8] = [
    [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
    [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
    [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
    [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
    [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
    [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
    [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
    [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
];

/// The inverse S-boxes.
pub(super) const S_INVERSE: [[u8; 16]; 8] = {
    let mut inverse = [[0; 16]; 8];
    let mut i = 0;
    while i < 8 {
        let mut v = 0;
        while v < 16 {
            inverse[i][S[i][v] as usize] = v as u8;
            v += 1;
        }
        i += 1;
    }
    inverse
};

#[cfg(test)]
mod tests {
    use super::*;

    fn parity(x: usize) -> u32 {
        x.count_ones() & 1
    }

    #[test]
    fn s_boxes_are_permutations() {
        for (s, inverse) in S.iter().zip(&S_INVERSE) {
            assert!((0..16).all(|v| usize::from(inverse[usize::from(s[v])]) == v));
        }
    }

    #[test]
    fn differentials_and_linear_relations_keep_the_bounds_of_the_proposal() {
        for s in S.map(|s| s.map(usize::from)) {
            for a in 1..16usize {
                for b in 0..16usize {
                    let differential = (0..16).filter(|&v| s[v] ^ s[v ^ a] == b).count();
                    assert!(differential <= 4, "section 3: at most 4 of 16");
                    let agree = (0..16).filter(|&v| parity(v & b) == parity(s[v] & a)).count();
                    assert!((4..=12).contains(&agree), "section 3: 8 of 16, give or take 4");
                    let single_bits = a.count_ones() == 1 && b.count_ones() == 1;
                    assert!(
                        !single_bits || differential == 0,
                        "section 3: one input bit changes two output bits"
                    );
                }
            }
        }
    }

    /// The coefficient of a product of three input bits is the parity of the output bit over all values within the product. One output bit of
    /// S0, S1, S2, S4 and S5 is quadratic.
    #[test]
    fn at_least_three_output_bits_are_cubic() {
        for s in S.map(|s| s.map(usize::from)) {
            let cubic = |bit: &usize| {
                [7, 11, 13, 14].into_iter().any(|product: usize| {
                    let within = (0..16).filter(|v| v & !product == 0);
                    within.fold(0, |sum, v| sum ^ (s[v] >> bit) & 1) == 1
                })
            };
            assert!((0..4).filter(cubic).count() >= 3);
        }
    }
}
