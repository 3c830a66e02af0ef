//! The table of 2002: Mbit/s on a 450 MHz processor.

use super::Rates;
use serde::Serialize;

/// One row. Where the table has no key schedule of its own, as with product tables, it is that of the byte-wise code: `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// Our strategy that works the same way.
    pub strategy: &'static str,
    /// The technique in the table's words.
    pub technique: &'static str,
    /// Length of the key.
    pub key_bits: usize,
    /// Key schedules for encryption and decryption.
    pub keys: Option<(f64, Option<f64>)>,
    /// Encryption.
    pub encrypt: f64,
    /// Decryption.
    pub decrypt: f64,
}

/// All rows.
pub static ROWS: [Published; 9] = [
    byte_wise(128, 4.4, 1.42, 0.85),
    byte_wise(192, 5.5, 1.13, 0.71),
    byte_wise(256, 6.2, 0.99, 0.56),
    lookup(128, 8.1, 7.2),
    lookup(192, 6.7, 6.0),
    lookup(256, 5.8, 5.2),
    words(128, Rates { encryption_key: 50.7, encrypt: 87.0, decryption_key: 40.1, decrypt: 86.5 }),
    words(192, Rates { encryption_key: 51.5, encrypt: 73.9, decryption_key: 42.3, decrypt: 73.4 }),
    words(256, Rates { encryption_key: 52.7, encrypt: 64.2, decryption_key: 44.1, decrypt: 64.1 }),
];

/// 32-bit tables at 128 bits on three machines: MHz, encryption, decryption.
pub(super) static MACHINES: [(f64, f64, f64); 3] =
    [(233.0, 44.0, 44.9), (450.0, 87.0, 86.5), (900.0, 138.8, 138.6)];

const fn byte_wise(key_bits: usize, key: f64, encrypt: f64, decrypt: f64) -> Published {
    let (strategy, technique) = ("reference", "byte-wise");
    Published { strategy, technique, key_bits, keys: Some((key, None)), encrypt, decrypt }
}

const fn lookup(key_bits: usize, encrypt: f64, decrypt: f64) -> Published {
    Published { strategy: "lookup", technique: "tables of products", key_bits, keys: None, encrypt, decrypt }
}

const fn words(key_bits: usize, rates: Rates) -> Published {
    let keys = Some((rates.encryption_key, Some(rates.decryption_key)));
    let (encrypt, decrypt) = (rates.encrypt, rates.decrypt);
    Published { strategy: "ttable", technique: "32-bit tables", key_bits, keys, encrypt, decrypt }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The speed-ups that the paper prints: 5.7 and 8.5 by product tables, 61 and 102 by 32-bit tables, 11.5 of the key schedule.
    #[test]
    fn the_printed_speed_ups_follow() {
        let [byte_wise, lookup, words] = [0, 3, 6].map(|index| ROWS[index]);
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
        assert!(
            near(lookup.encrypt / byte_wise.encrypt, 5.7) && near(lookup.decrypt / byte_wise.decrypt, 8.5)
        );
        assert!(
            near(words.encrypt / byte_wise.encrypt, 61.0) && near(words.decrypt / byte_wise.decrypt, 102.0)
        );
        assert!(near(words.keys.unwrap().0 / byte_wise.keys.unwrap().0, 11.5));
    }
}
