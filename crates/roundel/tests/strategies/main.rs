//! Every strategy of every cipher does what `reference` does: blocks, modes, any length, any alignment.
//!
//! `reference` overrides none of the provided mode methods, so equality with it also proves the fused loops of the others
//! against the generic ones, in place and into another buffer. The last test repeats all of it at every lower CPU level.

mod frame;

use frame::{Keyed, Random, for_each_key, guarded};
use roundel::modes::{Cbc, Ctr, Gcm, GcmMessage, Ghash};
use roundel::simd::{Level, cap};
use roundel::{CIPHERS, Error, Kernel};
use std::process::Command;

#[test]
fn encrypt_equals_reference() {
    for_each_key(|keyed, random| {
        for blocks in keyed.block_counts() {
            let data = random.bytes(blocks * keyed.cipher.block_bytes);
            keyed.compare("encrypt", &data, |kernel, data| {
                kernel.encrypt(data);
                Vec::new()
            });
        }
    });
}

#[test]
fn decrypt_equals_reference() {
    for_each_key(|keyed, random| {
        for blocks in keyed.block_counts() {
            let data = random.bytes(blocks * keyed.cipher.block_bytes);
            keyed.compare("decrypt", &data, |kernel, data| {
                kernel.decrypt(data);
                Vec::new()
            });
        }
    });
}

#[test]
fn decrypt_undoes_encrypt() {
    for_each_key(|keyed, random| {
        let data = random.bytes(37 * keyed.cipher.block_bytes);
        for (strategy, kernel) in keyed.all() {
            let label = || keyed.label(strategy, "encrypt, then decrypt");
            kernel.prepare_decrypt();
            let (text, ()) = guarded(&data, 3, |data| kernel.encrypt(data), label);
            assert_ne!(text, data, "{}", label());
            let (back, ()) = guarded(&text, 5, |text| kernel.decrypt(text), label);
            assert_eq!(back, data, "{}", label());
        }
    });
}

#[test]
fn partial_block_at_the_end_is_left_alone() {
    for_each_key(|keyed, random| {
        let size = keyed.cipher.block_bytes;
        for (strategy, kernel) in keyed.all() {
            for tail in [1, size / 2, size - 1] {
                let data = random.bytes(3 * size + tail);
                for (what, run) in [
                    ("encrypt", &(|data: &mut [u8]| kernel.encrypt(data)) as &dyn Fn(&mut [u8])),
                    ("decrypt", &|data| kernel.decrypt(data)),
                ] {
                    let label = || keyed.label(strategy, &format!("{what}, 3 blocks and {tail} bytes"));
                    let (with_tail, ()) = guarded(&data, 1, run, label);
                    let mut whole = data[..3 * size].to_vec();
                    run(&mut whole);
                    assert_eq!(with_tail[..3 * size], whole, "{}", label());
                    assert_eq!(with_tail[3 * size..], data[3 * size..], "{}", label());
                }
            }
        }
    });
}

fn ctr_compare(keyed: &Keyed, counter: &[u8], data: &[u8]) {
    keyed.compare(&format!("ctr_xor from {counter:02x?}"), data, |kernel, data| {
        let mut counter = counter.to_vec();
        kernel.ctr_xor(&mut counter, data);
        counter
    });
}

/// Lengths of the copied pieces and of long runs too.
#[test]
fn ctr_into_equals_in_place() {
    for_each_key(|keyed, random| {
        let size = keyed.cipher.block_bytes;
        let mut lengths: Vec<_> = (0..=size + 1).chain([4096, 8200]).collect();
        for blocks in keyed.block_counts() {
            let bytes = blocks * size;
            lengths.extend([bytes, bytes + 1 + random.below(size - 1)]);
        }
        for length in lengths {
            let (counter, data) = (random.bytes(size), random.bytes(length));
            let in_place = |kernel: &dyn Kernel, data: &mut [u8]| {
                let mut counter = counter.clone();
                kernel.ctr_xor(&mut counter, data);
                counter
            };
            keyed.compare_into("ctr_xor", &data, in_place, |kernel, from, to| {
                let mut counter = counter.clone();
                kernel.ctr_xor_into(&mut counter, from, to);
                counter
            });
        }
    });
}

#[test]
fn ctr_equals_reference_at_all_lengths() {
    for_each_key(|keyed, random| {
        let size = keyed.cipher.block_bytes;
        let mut lengths: Vec<_> = (0..=2 * size + 1).collect();
        for blocks in keyed.block_counts() {
            let bytes = blocks * size;
            lengths.extend([bytes, bytes + 1 + random.below(size - 1)]);
        }
        lengths.sort_unstable();
        lengths.dedup();
        for length in lengths {
            ctr_compare(keyed, &random.bytes(size), &random.bytes(length));
        }
    });
}

/// A carry out of 32, 64 and 128 bits (and of the whole block) at the first, some middle and the last block of a run.
#[test]
fn ctr_carries_like_reference() {
    for_each_key(|keyed, random| {
        let size = keyed.cipher.block_bytes;
        for carry_bytes in [1, 2, 4, 8, 12, 16, size] {
            for blocks in [1, 9, 40] {
                for steps_before_carry in [1, 1 + random.below(blocks), blocks] {
                    let mut counter = random.bytes(size);
                    let low = size.saturating_sub(carry_bytes);
                    counter[low..].fill(0xFF);
                    counter[size - 1] = (256 - steps_before_carry) as u8;
                    let bytes = blocks * size - random.below(size);
                    ctr_compare(keyed, &counter, &random.bytes(bytes));
                }
            }
        }
    });
}

#[test]
fn cbc_equals_reference() {
    for_each_key(|keyed, random| {
        let size = keyed.cipher.block_bytes;
        for blocks in keyed.block_counts() {
            let (iv, data) = (random.bytes(size), random.bytes(blocks * size));
            keyed.compare("cbc_encrypt", &data, |kernel, data| {
                let mut iv = iv.clone();
                kernel.cbc_encrypt(&mut iv, data);
                iv
            });
            keyed.compare("cbc_decrypt", &data, |kernel, data| {
                let mut iv = iv.clone();
                kernel.cbc_decrypt(&mut iv, data);
                iv
            });
        }
    });
}

/// Streams side by side: as many as fill the registers, one more and one less, and many.
#[test]
fn cbc_units_equal_reference() {
    for_each_key(|keyed, random| {
        let size = keyed.cipher.block_bytes;
        for unit_blocks in [1, 3, 32, 64] {
            for units in [1, 2, 7, 8, 15, 16, 17, 31, 50] {
                let ivs = random.bytes(size * units);
                let data = random.bytes(size * unit_blocks * units);
                let what = |direction| format!("cbc_{direction}_units, {units} of {unit_blocks} blocks");
                keyed.compare(&what("encrypt"), &data, |kernel, data| {
                    let mut ivs = ivs.clone();
                    kernel.cbc_encrypt_units(&mut ivs, size * unit_blocks, data);
                    ivs
                });
                keyed.compare(&what("decrypt"), &data, |kernel, data| {
                    let mut ivs = ivs.clone();
                    kernel.cbc_decrypt_units(&mut ivs, size * unit_blocks, data);
                    ivs
                });
            }
        }
    });
}

/// Units of one block, of odd numbers of blocks, of disk sectors, and a short one at the end.
#[test]
fn xex_equals_reference() {
    for_each_key(|keyed, random| {
        if keyed.cipher.block_bytes != 16 {
            return;
        }
        for unit_blocks in [1, 3, 5, 32, 33] {
            for units in [1, 2, 7] {
                for short_by in [0, unit_blocks / 2] {
                    let tweaks = random.bytes(16 * units);
                    let data = random.bytes(16 * (unit_blocks * units - short_by));
                    let what = |direction| format!("xex_{direction}, units of {unit_blocks} blocks");
                    keyed.compare(&what("encrypt"), &data, |kernel, data| {
                        let mut tweaks = tweaks.clone();
                        kernel.xex_encrypt(&mut tweaks, 16 * unit_blocks, data);
                        tweaks
                    });
                    keyed.compare(&what("decrypt"), &data, |kernel, data| {
                        let mut tweaks = tweaks.clone();
                        kernel.xex_decrypt(&mut tweaks, 16 * unit_blocks, data);
                        tweaks
                    });
                }
            }
        }
    });
}

/// Any length, any 32-bit counter, a hash that has absorbed something before. In place, and from one place to another.
#[test]
fn gcm_equals_reference() {
    for_each_key(|keyed, random| {
        if keyed.cipher.block_bytes != 16 {
            return;
        }
        for blocks in keyed.block_counts().into_iter().chain([256, 520]) {
            let bytes = 16 * blocks + random.below(16);
            let data = random.bytes(bytes);
            let mut counter: [u8; 16] = random.bytes(16).try_into().expect("16 bytes");
            // Half of the messages carry out of the 32 bits, where only those wrap.
            if blocks > 0 && blocks % 2 == 1 {
                counter[12..].fill(0xFF);
                counter[15] = (256 - (1 + random.below(blocks.min(200)))) as u8;
            }
            let hash_key: [u8; 16] = random.bytes(16).try_into().expect("16 bytes");
            let aad_bytes = random.below(40);
            let aad = random.bytes(aad_bytes);
            let start = || {
                let mut ghash = Ghash::new(&hash_key);
                ghash.update(&aad);
                (ghash, counter)
            };
            let state = |ghash: Ghash, counter: [u8; 16]| [ghash.value(), counter].concat();
            let from = format!("from {counter:02x?}");
            let encrypt = |kernel: &dyn Kernel, data: &mut [u8]| {
                let (mut ghash, mut counter) = start();
                kernel.gcm_encrypt(&mut ghash, &mut counter, data);
                state(ghash, counter)
            };
            keyed.compare(&format!("gcm_encrypt {from}"), &data, encrypt);
            keyed.compare_into(&format!("gcm_encrypt {from}"), &data, encrypt, |kernel, from, to| {
                let (mut ghash, mut counter) = start();
                kernel.gcm_encrypt_into(&mut ghash, &mut counter, from, to);
                state(ghash, counter)
            });
            let decrypt = |kernel: &dyn Kernel, data: &mut [u8]| {
                let (mut ghash, mut counter) = start();
                kernel.gcm_decrypt(&mut ghash, &mut counter, data);
                state(ghash, counter)
            };
            keyed.compare(&format!("gcm_decrypt {from}"), &data, decrypt);
            keyed.compare_into(&format!("gcm_decrypt {from}"), &data, decrypt, |kernel, from, to| {
                let (mut ghash, mut counter) = start();
                kernel.gcm_decrypt_into(&mut ghash, &mut counter, from, to);
                state(ghash, counter)
            });
        }
    });
}

/// Runs the operation that `start` begins on all of `data` at once, and again in pieces cut at random multiples of `unit` bytes.
fn same_in_pieces<F: FnMut(&mut [u8])>(
    data: &[u8],
    unit: usize,
    random: &mut Random,
    label: String,
    start: impl Fn() -> F,
) {
    let (mut whole, mut cut) = (data.to_vec(), data.to_vec());
    start()(&mut whole);
    assert_ne!(whole, data, "{label}: nothing happened");
    let (mut operation, mut rest) = (start(), &mut cut[..]);
    while !rest.is_empty() {
        let units = 1 + random.below(rest.len().div_ceil(unit));
        let (piece, after) = rest.split_at_mut((unit * units).min(rest.len()));
        operation(piece);
        rest = after;
    }
    assert_eq!(cut, whole, "{label}");
}

#[test]
fn pieces_equal_one_call() {
    for_each_key(|keyed, random| {
        let size = keyed.cipher.block_bytes;
        let data = random.bytes(71 * size);
        let iv = random.bytes(size);
        for (strategy, kernel) in keyed.all() {
            let label = |what| keyed.label(strategy, what);
            same_in_pieces(&data, size, random, label("encrypt in pieces"), || |data| kernel.encrypt(data));
            same_in_pieces(&data, size, random, label("decrypt in pieces"), || |data| kernel.decrypt(data));
            same_in_pieces(&data, 1, random, label("CTR in pieces of any length"), || {
                let mut ctr = Ctr::new(kernel, &iv).expect("one block");
                move |data| ctr.apply(data)
            });
            same_in_pieces(
                &data,
                1,
                random,
                label("CTR into another buffer in pieces of any length"),
                || {
                    let mut ctr = Ctr::new(kernel, &iv).expect("one block");
                    move |data| {
                        let from = data.to_vec();
                        ctr.apply_into(&from, data);
                    }
                },
            );
            same_in_pieces(&data, size, random, label("CBC encryption in pieces"), || {
                let mut cbc = Cbc::new(kernel, &iv).expect("one block");
                move |data| cbc.encrypt(data).expect("whole blocks")
            });
            same_in_pieces(&data, size, random, label("CBC decryption in pieces"), || {
                let mut cbc = Cbc::new(kernel, &iv).expect("one block");
                move |data| cbc.decrypt(data).expect("whole blocks")
            });
        }
    });
}

#[test]
fn gcm_pieces_equal_one_call() {
    for_each_key(|keyed, random| {
        if keyed.cipher.block_bytes != 16 {
            return;
        }
        let data = random.bytes(71 * 16 + 5);
        for choice in keyed.cipher.choices().filter(|choice| choice.strategy.available()) {
            let label = |what| keyed.label(choice.strategy.name, what);
            let gcm = Gcm::new(choice.kernel(&keyed.key).expect("available")).expect("128-bit blocks");
            let message = || GcmMessage::new(&gcm, b"twelve bytes", b"and more").expect("a nonce");
            same_in_pieces(&data, 16, random, label("GCM encryption in pieces"), || {
                let mut message = message();
                move |data| message.encrypt(data).expect("whole blocks before")
            });
            same_in_pieces(&data, 16, random, label("GCM decryption in pieces"), || {
                let mut message = message();
                move |data| message.decrypt(data).expect("whole blocks before")
            });
            let (nonce, aad) = (b"twelve bytes", b"and more");
            let mut text = data.clone();
            let tag = gcm.encrypt(nonce, aad, &mut text).expect("a nonce");
            let (mut sealed, mut opened) = (vec![0; data.len()], vec![1; data.len()]);
            let same = gcm.encrypt_into(nonce, aad, &data, &mut sealed).expect("a nonce");
            assert_eq!((&sealed, same), (&text, tag), "{}", label("GCM into another buffer"));
            gcm.decrypt_into(nonce, aad, &sealed, &mut opened, &tag).expect("the right tag");
            assert_eq!(opened, data, "{}", label("GCM from another buffer"));
            let refused = gcm.decrypt_into(nonce, b"", &sealed, &mut opened, &tag);
            assert_eq!(refused, Err(Error::Authentication), "{}", label("other additional data"));
            assert!(opened.iter().all(|byte| *byte == 0), "{}", label("nothing unauthenticated is released"));
            gcm.decrypt(nonce, aad, &mut text, &tag).expect("the right tag");
            assert_eq!(text, data, "{}", label("GCM there and back"));
        }
    });
}

#[test]
fn keys_of_wrong_length_are_refused() {
    for cipher in CIPHERS {
        for choice in cipher.choices().filter(|choice| choice.strategy.available()) {
            let longest =
                cipher.keys.also.map_or(0, |(_, to, _)| to).max(*cipher.keys.standard.last().unwrap());
            for bytes in (0..=longest + 33).filter(|&bytes| !cipher.keys.accepts(bytes)) {
                let refused = matches!(choice.kernel(&vec![1; bytes]), Err(Error::KeyLength { .. }));
                assert!(refused, "{} {} took a key of {bytes} bytes", cipher.name, choice.strategy.name);
            }
        }
    }
}

#[test]
fn strategies_above_the_cpu_level_are_refused() {
    for cipher in CIPHERS {
        let key = vec![1; cipher.keys.standard[0]];
        for choice in cipher.choices() {
            let refused = matches!(choice.kernel(&key), Err(Error::Unavailable { .. }));
            let beyond = choice.strategy.needs > cap() || !choice.strategy.needs.in_cpu();
            assert_eq!(refused, beyond, "{} {} at level {}", cipher.name, choice.strategy.name, cap());
        }
    }
}

/// The cap is one for the process, so each level gets a process of its own: this test program, less this test.
#[test]
fn all_of_this_at_every_lower_level() {
    let program = std::env::current_exe().expect("a test program knows its path");
    for level in Level::ALL.into_iter().filter(|&level| level < cap() && level.in_cpu()) {
        let output = Command::new(&program)
            .args(["--skip", "all_of_this_at_every_lower_level", "--test-threads", "2"])
            .env("ROUNDEL_CPU", level.name())
            .output()
            .expect("the test program runs");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "at CPU level {level}:\n{out}\n{err}");
        assert!(!out.contains(" 0 passed"), "at CPU level {level} nothing ran:\n{out}");
    }
}
