//! The S-boxes of DES as circuits of AND, OR, XOR, AND-NOT and a few NOTs, found by computer search (Matthew Kwan's method: "Reducing the gate
//! count of bitslice DES", 2000). The tests compare all 64 inputs of each with the standard's table.
//!
//! Inputs are the six bits of a group, leftmost first; outputs the four bits, leftmost first; `ones` is all ones, for NOT.

use crate::simd::Vector;

/// S1: 64 gates.
#[inline(always)]
#[rustfmt::skip]
pub(super) fn s1<V: Vector>(ones: V, [a, b, c, d, e, f]: [V; 6]) -> [V; 4] {
    let g6 = d ^ e; let g7 = c ^ d; let g8 = g7 & f; let g9 = g6 ^ g8;
    let g10 = c ^ f; let g11 = g8 ^ ones; let g12 = g11.and_not(d); let g13 = g10 ^ g12;
    let g14 = g13.and_not(e); let g15 = g9 ^ g14; let g16 = f ^ g11; let g17 = g6.and_not(e);
    let g18 = g16 ^ g17; let g19 = g18 & b; let g20 = g15 ^ g19; let g21 = c ^ e;
    let g22 = g21 | g8; let g23 = g22.and_not(d); let g24 = f ^ g23; let g25 = c ^ g15;
    let g26 = g25.and_not(g24); let g27 = g26 & b; let g28 = g24 ^ g27; let g29 = g28 & a;
    let g30 = g20 ^ g29; let g31 = b ^ g26; let g32 = a ^ g9; let g33 = g32 | g27;
    let g34 = g33 & a; let g35 = g31 ^ g34; let g36 = g16 ^ g25; let g37 = g36 ^ g35;
    let g38 = a ^ d; let g39 = g38 | g34; let g40 = g39.and_not(b); let g41 = g37 ^ g40;
    let g42 = g41 & c; let g43 = g35 ^ g42; let g44 = g33.and_not(g31); let g45 = g44 ^ d;
    let g46 = f.and_not(g19); let g47 = g46 ^ g7; let g48 = g47 & c; let g49 = g45 ^ g48;
    let g50 = e.and_not(b); let g51 = g50 | g31; let g52 = g14 ^ g28; let g53 = g52 & d;
    let g54 = g51 ^ g53; let g55 = g54.and_not(a); let g56 = g49 ^ g55; let g57 = g19 ^ g40;
    let g58 = g38 & g57; let g59 = g58 ^ g28; let g60 = g59 & a; let g61 = g57 ^ g60;
    let g62 = g10 ^ g19; let g63 = g62.and_not(g27); let g64 = g20.and_not(g10); let g65 = g64 ^ g40;
    let g66 = g65 & a; let g67 = g63 ^ g66; let g68 = g67 & e; let g69 = g61 ^ g68;
    [g43, g30, g56, g69]
}

/// S2: 60 gates.
#[inline(always)]
#[rustfmt::skip]
pub(super) fn s2<V: Vector>(ones: V, [a, b, c, d, e, f]: [V; 6]) -> [V; 4] {
    let g6 = a ^ e; let g7 = g6 ^ f; let g8 = b ^ ones; let g9 = g8.and_not(b);
    let g10 = g7 ^ g9; let g11 = a.and_not(f); let g12 = g11 & e; let g13 = c ^ g12;
    let g14 = g13 & b; let g15 = f ^ g14; let g16 = g15 & c; let g17 = g10 ^ g16;
    let g18 = f | g8; let g19 = a ^ g10; let g20 = g19 & c; let g21 = g15 ^ g20;
    let g22 = g21 & e; let g23 = g18 ^ g22; let g24 = g23 & d; let g25 = g17 ^ g24;
    let g26 = g6 & g11; let g27 = g26 ^ g19; let g28 = b.and_not(e); let g29 = g28 | a;
    let g30 = g29 & f; let g31 = g7 ^ g30; let g32 = g31.and_not(d); let g33 = g27 ^ g32;
    let g34 = d ^ g15; let g35 = g34 | g8; let g36 = d | g10; let g37 = g36 ^ g34;
    let g38 = g37.and_not(a); let g39 = g35 ^ g38; let g40 = g39.and_not(c); let g41 = g33 ^ g40;
    let g42 = b ^ g17; let g43 = g42 ^ g34; let g44 = e | g25; let g45 = g23.and_not(c);
    let g46 = g44 ^ g45; let g47 = g46.and_not(b); let g48 = g43 ^ g47; let g49 = g8.and_not(g37);
    let g50 = g49 | g21; let g51 = g50 & a; let g52 = g48 ^ g51; let g53 = d ^ g23;
    let g54 = g53 ^ g39; let g55 = g6 | g15; let g56 = g55 & a; let g57 = g54 ^ g56;
    let g58 = e | g48; let g59 = g58 ^ g37; let g60 = g6 | g52; let g61 = g60 ^ g48;
    let g62 = g61 & a; let g63 = g59 ^ g62; let g64 = g63.and_not(f); let g65 = g57 ^ g64;
    [g52, g25, g41, g65]
}

/// S3: 60 gates.
#[inline(always)]
#[rustfmt::skip]
pub(super) fn s3<V: Vector>(ones: V, [a, b, c, d, e, f]: [V; 6]) -> [V; 4] {
    let g6 = c ^ f; let g7 = d | f; let g8 = g7 & a; let g9 = g6 ^ g8;
    let g10 = c ^ d; let g11 = g10 | a; let g12 = g11.and_not(e); let g13 = g9 ^ g12;
    let g14 = d ^ g13; let g15 = g14.and_not(g6); let g16 = g15 & a; let g17 = b ^ g16;
    let g18 = g17 & b; let g19 = g13 ^ g18; let g20 = a ^ c; let g21 = g10 & e;
    let g22 = g20 ^ g21; let g23 = e ^ g10; let g24 = g23 | g13; let g25 = g24 & b;
    let g26 = g22 ^ g25; let g27 = b & d; let g28 = g23.and_not(g27); let g29 = g28 & a;
    let g30 = g13 ^ g29; let g31 = g18 ^ g30; let g32 = e.and_not(g31); let g33 = g32 & c;
    let g34 = g30 ^ g33; let g35 = g34 & f; let g36 = g26 ^ g35; let g37 = d | g19;
    let g38 = g37.and_not(a); let g39 = g23 ^ g38; let g40 = a | d; let g41 = g40.and_not(b);
    let g42 = g41 & c; let g43 = g39 ^ g42; let g44 = g15 ^ ones; let g45 = g14 & a;
    let g46 = g44 ^ g45; let g47 = e & g14; let g48 = g47 & b; let g49 = g46 ^ g48;
    let g50 = g49.and_not(f); let g51 = g43 ^ g50; let g52 = a ^ g30; let g53 = g52 ^ g51;
    let g54 = g15.and_not(g39); let g55 = g54 ^ c; let g56 = g55.and_not(b); let g57 = g53 ^ g56;
    let g58 = g39 & g51; let g59 = g58 ^ g11; let g60 = c | g51; let g61 = g60 ^ g20;
    let g62 = g61 & b; let g63 = g59 ^ g62; let g64 = g63 & e; let g65 = g57 ^ g64;
    [g51, g36, g65, g19]
}

/// S4: 51 gates.
#[inline(always)]
#[rustfmt::skip]
pub(super) fn s4<V: Vector>(ones: V, [a, b, c, d, e, f]: [V; 6]) -> [V; 4] {
    let g6 = c ^ ones; let g7 = e | g6; let g8 = g7 & a; let g9 = g6 ^ g8;
    let g10 = c ^ e; let g11 = g10 | a; let g12 = g11 & b; let g13 = g9 ^ g12;
    let g14 = c ^ g11; let g15 = a ^ e; let g16 = g15 ^ g9; let g17 = g16 & b;
    let g18 = g14 ^ g17; let g19 = g18 & f; let g20 = g13 ^ g19; let g21 = g12 ^ g16;
    let g22 = b ^ g10; let g23 = g22 ^ g16; let g24 = g23 & c; let g25 = g21 ^ g24;
    let g26 = g18.and_not(g10); let g27 = g26 ^ g23; let g28 = g27 & f; let g29 = g25 ^ g28;
    let g30 = g29 & d; let g31 = g20 ^ g30; let g32 = f ^ g18; let g33 = g32 ^ g20;
    let g34 = g27 ^ g29; let g35 = g34 & d; let g36 = g33 ^ g35; let g37 = g15.and_not(d);
    let g38 = g37 ^ g30; let g39 = g10.and_not(g37); let g40 = g39 ^ g23; let g41 = g40.and_not(f);
    let g42 = g38 ^ g41; let g43 = a.and_not(f); let g44 = g29.and_not(g43); let g45 = g44 & e;
    let g46 = g40 ^ g45; let g47 = g46.and_not(c); let g48 = g42 ^ g47; let g49 = f ^ g40;
    let g50 = g49 ^ g48; let g51 = g27 & d; let g52 = g50 ^ g51; let g53 = a.and_not(b);
    let g54 = g53 ^ g13; let g55 = g54 & e; let g56 = g52 ^ g55;
    [g48, g56, g36, g31]
}

/// S5: 64 gates.
#[inline(always)]
#[rustfmt::skip]
pub(super) fn s5<V: Vector>(ones: V, [a, b, c, d, e, f]: [V; 6]) -> [V; 4] {
    let g6 = a ^ d; let g7 = g6 ^ f; let g8 = d | f; let g9 = g8 & a;
    let g10 = e ^ g9; let g11 = g10 & e; let g12 = g7 ^ g11; let g13 = c ^ d;
    let g14 = g13 ^ g8; let g15 = a | g13; let g16 = g15 & g8; let g17 = g16 & e;
    let g18 = g14 ^ g17; let g19 = g18 & c; let g20 = g12 ^ g19; let g21 = c & g6;
    let g22 = g21 ^ g16; let g23 = g22 & b; let g24 = g20 ^ g23; let g25 = a | g20;
    let g26 = g25 ^ g7; let g27 = g9 | g20; let g28 = a ^ g26; let g29 = g18.and_not(g28);
    let g30 = g29 & d; let g31 = g27 ^ g30; let g32 = g31 & e; let g33 = g26 ^ g32;
    let g34 = c ^ g25; let g35 = g34 ^ g29; let g36 = g13 | g18; let g37 = g36 & f;
    let g38 = g35 ^ g37; let g39 = g38 & b; let g40 = g33 ^ g39; let g41 = a ^ b;
    let g42 = g41 ^ g34; let g43 = g24.and_not(g10); let g44 = g38.and_not(g43); let g45 = g44 & f;
    let g46 = g42 ^ g45; let g47 = g25.and_not(g10); let g48 = g47 ^ g12; let g49 = g12.and_not(g35);
    let g50 = g49 ^ g46; let g51 = g50.and_not(b); let g52 = g48 ^ g51; let g53 = g52 & d;
    let g54 = g46 ^ g53; let g55 = g10 ^ g42; let g56 = g55 | g23; let g57 = g36 | g41;
    let g58 = g57 & d; let g59 = g56 ^ g58; let g60 = g30 ^ g45; let g61 = g56.and_not(g60);
    let g62 = g50 ^ ones; let g63 = f ^ g52; let g64 = g63 & d; let g65 = g62 ^ g64;
    let g66 = g65.and_not(b); let g67 = g61 ^ g66; let g68 = g67.and_not(a); let g69 = g59 ^ g68;
    [g54, g24, g69, g40]
}

/// S6: 62 gates.
#[inline(always)]
#[rustfmt::skip]
pub(super) fn s6<V: Vector>(ones: V, [a, b, c, d, e, f]: [V; 6]) -> [V; 4] {
    let g6 = f.and_not(a); let g7 = g6 ^ d; let g8 = d & f; let g9 = g8 | a;
    let g10 = g9 & e; let g11 = g7 ^ g10; let g12 = a.and_not(f); let g13 = g12 | e;
    let g14 = g13 & c; let g15 = g11 ^ g14; let g16 = g12 & g15; let g17 = g16 ^ g7;
    let g18 = a | c; let g19 = g18 ^ g17; let g20 = g19.and_not(e); let g21 = g17 ^ g20;
    let g22 = g21 & b; let g23 = g15 ^ g22; let g24 = b ^ f; let g25 = c ^ ones;
    let g26 = g25.and_not(e); let g27 = g24 ^ g26; let g28 = g24.and_not(g10); let g29 = g28 ^ g15;
    let g30 = g29 & d; let g31 = g27 ^ g30; let g32 = c.and_not(g23); let g33 = g32 | g19;
    let g34 = g12 | g22; let g35 = g34.and_not(c); let g36 = g32 ^ g35; let g37 = g36 & e;
    let g38 = g33 ^ g37; let g39 = g38 & a; let g40 = g31 ^ g39; let g41 = c | g10;
    let g42 = g41 ^ g13; let g43 = c & b; let g44 = g42 ^ g43; let g45 = g25.and_not(b);
    let g46 = g45 ^ g15; let g47 = g46 & d; let g48 = g44 ^ g47; let g49 = g23 ^ g35;
    let g50 = g49 & a; let g51 = g9 ^ g50; let g52 = e | g48; let g53 = g52 ^ g40;
    let g54 = g53.and_not(b); let g55 = g51 ^ g54; let g56 = g55 & f; let g57 = g48 ^ g56;
    let g58 = g11 | g26; let g59 = g9 & f; let g60 = g58 ^ g59; let g61 = g42.and_not(g51);
    let g62 = g61 & c; let g63 = g60 ^ g62; let g64 = g8.and_not(g40); let g65 = g64 ^ g25;
    let g66 = g65 & b; let g67 = g63 ^ g66;
    [g67, g40, g23, g57]
}

/// S7: 62 gates.
#[inline(always)]
#[rustfmt::skip]
pub(super) fn s7<V: Vector>(ones: V, [a, b, c, d, e, f]: [V; 6]) -> [V; 4] {
    let g6 = c ^ d; let g7 = g6 ^ e; let g8 = b & d; let g9 = g8.and_not(e);
    let g10 = f ^ g9; let g11 = g10 & f; let g12 = g7 ^ g11; let g13 = b & g7;
    let g14 = g13 & f; let g15 = c ^ g14; let g16 = g15 & a; let g17 = g12 ^ g16;
    let g18 = a ^ b; let g19 = a & f; let g20 = d.and_not(g19); let g21 = g20.and_not(e);
    let g22 = g18 ^ g21; let g23 = g22.and_not(c); let g24 = g17 ^ g23; let g25 = g7 ^ g19;
    let g26 = a ^ ones; let g27 = g26.and_not(c); let g28 = g25 ^ g27; let g29 = f | g16;
    let g30 = g29 ^ g23; let g31 = g30 & b; let g32 = g28 ^ g31; let g33 = g18 & g24;
    let g34 = g33 ^ g9; let g35 = g25.and_not(g21); let g36 = g35 & f; let g37 = g34 ^ g36;
    let g38 = g37 & d; let g39 = g32 ^ g38; let g40 = g18 | g35; let g41 = g40 ^ g23;
    let g42 = b ^ g39; let g43 = g42 | g33; let g44 = g43.and_not(a); let g45 = g41 ^ g44;
    let g46 = f.and_not(g17); let g47 = g43 & b; let g48 = g46 ^ g47; let g49 = g18 & g29;
    let g50 = g49 | g26; let g51 = g50.and_not(e); let g52 = g48 ^ g51; let g53 = g52.and_not(d);
    let g54 = g45 ^ g53; let g55 = c ^ g28; let g56 = e & g28; let g57 = g56 ^ g22;
    let g58 = g57.and_not(b); let g59 = g55 ^ g58; let g60 = g38 ^ g43; let g61 = g60 | g26;
    let g62 = a ^ g22; let g63 = g62 ^ g58; let g64 = g63 & c; let g65 = g61 ^ g64;
    let g66 = g65.and_not(f); let g67 = g59 ^ g66;
    [g67, g39, g54, g24]
}

/// S8: 59 gates.
#[inline(always)]
#[rustfmt::skip]
pub(super) fn s8<V: Vector>(ones: V, [a, b, c, d, e, f]: [V; 6]) -> [V; 4] {
    let g6 = a.and_not(c); let g7 = g6 | f; let g8 = a | c; let g9 = g8.and_not(b);
    let g10 = g7 ^ g9; let g11 = b | g6; let g12 = g11.and_not(f); let g13 = g12 & a;
    let g14 = e ^ g13; let g15 = g14 & d; let g16 = g10 ^ g15; let g17 = a ^ c;
    let g18 = g17.and_not(g13); let g19 = b ^ ones; let g20 = b & a; let g21 = g19 ^ g20;
    let g22 = g21.and_not(d); let g23 = g18 ^ g22; let g24 = g23.and_not(e); let g25 = g16 ^ g24;
    let g26 = g11.and_not(e); let g27 = g26 ^ g17; let g28 = g21.and_not(e); let g29 = g28 ^ b;
    let g30 = g29.and_not(d); let g31 = g27 ^ g30; let g32 = g10 ^ g29; let g33 = e ^ g25;
    let g34 = g33 & d; let g35 = g32 ^ g34; let g36 = g9.and_not(g33); let g37 = g36 ^ g26;
    let g38 = g37 & c; let g39 = g35 ^ g38; let g40 = g39 & f; let g41 = g31 ^ g40;
    let g42 = g37.and_not(g18); let g43 = g42 ^ g16; let g44 = f ^ g25; let g45 = g44 | d;
    let g46 = g45 & f; let g47 = g43 ^ g46; let g48 = g19.and_not(g18); let g49 = g48 ^ g6;
    let g50 = a | f; let g51 = g50.and_not(g18); let g52 = g51.and_not(d); let g53 = g49 ^ g52;
    let g54 = g53 & e; let g55 = g47 ^ g54; let g56 = f ^ g31; let g57 = d | g43;
    let g58 = g57 & g35; let g59 = b | g54; let g60 = g59 ^ g14; let g61 = g60 & c;
    let g62 = g58 ^ g61; let g63 = g62.and_not(f); let g64 = g56 ^ g63;
    [g64, g25, g55, g41]
}

#[cfg(test)]
mod tests {
    use super::super::tables::S;
    use super::*;
    use crate::simd::{Portable, Simd};

    type V = <Portable as Simd>::V;
    type Circuit = fn(V, [V; 6]) -> [V; 4];

    #[test]
    fn every_circuit_is_its_table() {
        let s = Portable::detect().expect("everywhere");
        let circuits: [Circuit; 8] = [s1, s2, s3, s4, s5, s6, s7, s8];
        for (circuit, table) in circuits.into_iter().zip(S) {
            for group in 0..64usize {
                let bit = |i: usize| s.splat32((group as u32 >> (5 - i) & 1).wrapping_neg());
                let output =
                    circuit(s.splat32(!0), std::array::from_fn(bit)).into_iter().fold(0, |sum, plane| {
                        let mut bytes = [0; 16];
                        plane.store(&mut bytes);
                        sum << 1 | usize::from(bytes[0] & 1)
                    });
                let (row, column) = (group >> 4 & 2 | group & 1, group >> 1 & 15);
                assert_eq!(output, usize::from(table[16 * row + column]), "group {group}");
            }
        }
    }
}
