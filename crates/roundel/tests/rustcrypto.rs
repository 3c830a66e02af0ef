//! Our ciphers inside RustCrypto's modes: AES there equals their AES, and every cipher's type equals its reference.

#![cfg(feature = "rustcrypto")]

use cipher::consts::U16;
use cipher::{
    Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit,
    StreamCipher,
};
use roundel::rustcrypto::{Aes128, Aes192, Aes256, Algorithm, Keyed, RijndaelBlock192, RijndaelBlock256};
use roundel::rustcrypto::{Serpent, Twofish};

fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(0x9E37_79B9) >> 24) as u8).collect()
}

/// Lengths around a block, the 16 blocks of a wide batch and the 64 that the adapter takes at once.
const LENGTHS: [usize; 9] = [0, 1, 15, 16, 17, 16 * 31 + 5, 16 * 64, 16 * 65 - 1, 16 * 300 + 7];

/// CTR with carries out of the low 32 bits, in one call and in two.
fn ctr_equals<Ours, Theirs>(key: &[u8])
where
    Ours: KeyIvInit + StreamCipher,
    Theirs: KeyIvInit + StreamCipher,
{
    let mut iv = [0xFF; 16];
    iv[0] = 7;
    iv[15] = 0xFB;
    for length in LENGTHS {
        let (mut ours, mut theirs) = (pattern(length), pattern(length));
        let (head, tail) = ours.split_at_mut(length / 3);
        let mut stream = Ours::new_from_slices(key, &iv).expect("lengths fit");
        stream.apply_keystream(head);
        stream.apply_keystream(tail);
        Theirs::new_from_slices(key, &iv).expect("lengths fit").apply_keystream(&mut theirs);
        assert_eq!(ours, theirs, "{}-bit key, {length} bytes", 8 * key.len());
    }
}

#[test]
fn aes_in_their_ctr_equals_their_aes() {
    ctr_equals::<ctr::Ctr128BE<Aes128>, ctr::Ctr128BE<aes::Aes128>>(&pattern(16));
    ctr_equals::<ctr::Ctr128BE<Aes192>, ctr::Ctr128BE<aes::Aes192>>(&pattern(24));
    ctr_equals::<ctr::Ctr128BE<Aes256>, ctr::Ctr128BE<aes::Aes256>>(&pattern(32));
}

fn cbc_equals<Ours, Theirs>(key: &[u8])
where
    Ours: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + cipher::BlockSizeUser<BlockSize = U16>,
    Theirs: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + cipher::BlockSizeUser<BlockSize = U16>,
{
    let iv = pattern(16);
    for blocks in [0, 1, 2, 31, 64, 65, 300] {
        let text: Vec<Array<u8, U16>> =
            pattern(16 * blocks).chunks(16).map(|block| block.try_into().expect("whole blocks")).collect();
        let (mut ours, mut theirs) = (text.clone(), text.clone());
        cbc::Encryptor::<Ours>::new_from_slices(key, &iv).expect("lengths fit").encrypt_blocks(&mut ours);
        cbc::Encryptor::<Theirs>::new_from_slices(key, &iv).expect("lengths fit").encrypt_blocks(&mut theirs);
        assert_eq!(ours, theirs, "{}-bit key, {blocks} blocks", 8 * key.len());
        cbc::Decryptor::<Ours>::new_from_slices(key, &iv).expect("lengths fit").decrypt_blocks(&mut ours);
        assert_eq!(ours, text, "{}-bit key, {blocks} blocks", 8 * key.len());
    }
}

#[test]
fn aes_in_their_cbc_equals_their_aes() {
    cbc_equals::<Aes128, aes::Aes128>(&pattern(16));
    cbc_equals::<Aes192, aes::Aes192>(&pattern(24));
    cbc_equals::<Aes256, aes::Aes256>(&pattern(32));
}

/// Runs of blocks, in place and from one buffer to another, both ways.
fn blocks_equal_reference<A: Algorithm>() {
    let key = pattern(16);
    let ours = Keyed::<A, U16>::new_from_slice(&key).expect("16 bytes");
    let reference = A::CIPHER.strategy("reference").unwrap().kernel(&key).unwrap();
    for count in [0, 1, 63, 64, 65, 129] {
        let text = pattern(count * A::CIPHER.block_bytes);
        let mut blocks: Vec<Array<u8, A::BlockSize>> =
            text.chunks(A::CIPHER.block_bytes).map(|block| block.try_into().expect("whole blocks")).collect();
        let mut elsewhere = vec![Array::default(); count];
        ours.encrypt_blocks_b2b(&blocks, &mut elsewhere).expect("as many");
        ours.encrypt_blocks(&mut blocks);
        let mut want = text.clone();
        reference.encrypt(&mut want);
        assert_eq!(blocks.concat(), want, "{} {count} blocks", A::CIPHER.name);
        assert_eq!(elsewhere, blocks, "{} {count} blocks", A::CIPHER.name);
        ours.decrypt_blocks_b2b(&blocks, &mut elsewhere).expect("as many");
        ours.decrypt_blocks(&mut blocks);
        assert_eq!(blocks.concat(), text, "{} {count} blocks back", A::CIPHER.name);
        assert_eq!(elsewhere, blocks, "{} {count} blocks back", A::CIPHER.name);
    }
}

#[test]
fn types_of_every_block_size_equal_their_reference() {
    blocks_equal_reference::<Serpent>();
    blocks_equal_reference::<Twofish>();
    blocks_equal_reference::<RijndaelBlock192>();
    blocks_equal_reference::<RijndaelBlock256>();
}
