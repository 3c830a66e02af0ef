//! Our ciphers inside RustCrypto's modes: AES there equals their AES, and every cipher's type equals its reference. Block by block, each
//! strategy of the ciphers that they have too equals theirs; DES, which is not public here, is compared where it is (`ciphers/deal`).

#![cfg(feature = "rustcrypto")]

use cipher::consts::{U5, U16, U20, U24, U32, U99, U255};
use cipher::{
    Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser,
    KeyInit, KeyIvInit, StreamCipher,
};
use rc6::RC6;
use roundel::rustcrypto::{Aes, Aes128, Aes192, Aes256, Algorithm, Cast256, Keyed, Rc6};
use roundel::rustcrypto::{RijndaelBlock192, RijndaelBlock256, Serpent, Twofish};

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
    Ours: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + BlockSizeUser<BlockSize = U16>,
    Theirs: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + BlockSizeUser<BlockSize = U16>,
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

/// splitmix64: variety, not secrecy.
struct Random(u64);

impl Random {
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let byte = |_| {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (z ^ (z >> 31)) as u8
        };
        (0..len).map(byte).collect()
    }
}

/// Encrypts blocks, and then decrypts what they were.
fn both_ways<C>(cipher: &C, text: &[u8]) -> [Vec<u8>; 2]
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
{
    let blocks: Vec<Array<u8, U16>> =
        text.chunks(16).map(|block| block.try_into().expect("whole blocks")).collect();
    let (mut encrypted, mut decrypted) = (blocks.clone(), blocks);
    cipher.encrypt_blocks(&mut encrypted);
    cipher.decrypt_blocks(&mut decrypted);
    [encrypted.concat(), decrypted.concat()]
}

/// Their cipher equals the type and every strategy of ours, under random keys of each length that both take, which are these.
fn equals<Ours, Theirs>(lengths: &[usize])
where
    Ours: Algorithm<BlockSize = U16>,
    Theirs: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
{
    let (name, mut random) = (Ours::CIPHER.name, Random(lengths.len() as u64));
    let both =
        |bytes: &usize| Ours::CIPHER.keys.accepts(*bytes) && Theirs::new_from_slice(&vec![0; *bytes]).is_ok();
    assert_eq!((0..=255).filter(both).collect::<Vec<usize>>(), lengths, "{name}: lengths of keys");
    for round in 0..20 * lengths.len() {
        let key = random.bytes(lengths[round % lengths.len()]);
        let text = random.bytes(16 * 37);
        let want = both_ways(&Theirs::new_from_slice(&key).expect("a length it takes"), &text);
        for choice in Ours::CIPHER.choices().filter(|choice| choice.strategy.available()) {
            let kernel = choice.kernel(&key).expect("a length it takes");
            let mut got = [text.clone(), text.clone()];
            kernel.encrypt(&mut got[0]);
            kernel.decrypt(&mut got[1]);
            assert_eq!(got, want, "{name} {}, key {key:02X?}", choice.strategy.name);
        }
        let typed = match key.len() {
            16 => both_ways(&Keyed::<Ours, U16>::new_from_slice(&key).expect("16 bytes"), &text),
            24 => both_ways(&Keyed::<Ours, U24>::new_from_slice(&key).expect("24 bytes"), &text),
            32 => both_ways(&Keyed::<Ours, U32>::new_from_slice(&key).expect("32 bytes"), &text),
            _ => continue,
        };
        assert_eq!(typed, want, "{name} as a type, key {key:02X?}");
    }
}

#[test]
fn aes_equals_theirs() {
    equals::<Aes, aes::Aes128>(&[16]);
    equals::<Aes, aes::Aes192>(&[24]);
    equals::<Aes, aes::Aes256>(&[32]);
}

#[test]
fn serpent_equals_theirs() {
    equals::<Serpent, serpent::Serpent>(&[16, 24, 32]);
}

#[test]
fn twofish_equals_theirs() {
    equals::<Twofish, twofish::Twofish>(&[16, 24, 32]);
}

#[test]
fn cast256_equals_theirs() {
    equals::<Cast256, cast6::Cast6>(&[16, 20, 24, 28, 32]);
}

/// Theirs has a type for each length.
#[test]
fn rc6_equals_theirs() {
    equals::<Rc6, RC6<u32, U20, U16>>(&[16]);
    equals::<Rc6, RC6<u32, U20, U24>>(&[24]);
    equals::<Rc6, RC6<u32, U20, U32>>(&[32]);
    equals::<Rc6, RC6<u32, U20, U5>>(&[5]);
    equals::<Rc6, RC6<u32, U20, U99>>(&[99]);
    equals::<Rc6, RC6<u32, U20, U255>>(&[255]);
}
