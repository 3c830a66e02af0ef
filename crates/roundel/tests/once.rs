//! One message under a key of its own: equal to the modes over a kernel that is kept, and nothing on the heap.

use roundel::modes::{Ctr, Ecb, Gcm, once};
use roundel::{CIPHERS, Choice, Error, Policy, cipher};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts this thread's allocations.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all calls go to the system's allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(0x9E37_79B9) >> 24) as u8).collect()
}

fn without_allocation<R>(what: &str, run: impl FnOnce() -> R) -> R {
    let before = ALLOCATIONS.get();
    let result = run();
    assert_eq!(ALLOCATIONS.get(), before, "{what} allocates");
    result
}

/// Every cipher's best strategy, and all of AES.
fn choices() -> Vec<Choice> {
    let best = CIPHERS.iter().map(|cipher| cipher.best(Policy::AnyTiming).unwrap());
    let aes = cipher("aes").unwrap().choices().filter(|choice| choice.strategy.available());
    best.chain(aes).collect()
}

#[test]
fn equals_the_modes() {
    for choice in choices() {
        for bytes in choice.cipher.keys.standard {
            equal_under(choice, &pattern(*bytes));
        }
    }
}

fn equal_under(choice: Choice, key: &[u8]) {
    let size = choice.cipher.block_bytes;
    let kernel = choice.kernel(key).unwrap();
    // The last counters carry over all bytes within the message.
    let counter: Vec<u8> = (0..size).map(|i| if i + 1 == size { 0xFE } else { 0xFF }).collect();
    // Around a block, a run of blocks, and the longest messages that go in one.
    for len in [0, 1, 15, 16, 17, 31, 48, 64, 80, 96, 100, 127, 128, 129, 240, 255, 256, 257, 300, 1500] {
        let what = format!(
            "{} {}, {} bytes of key, {len} bytes",
            choice.cipher.name,
            choice.strategy.name,
            key.len()
        );
        let (mut ours, mut want) = (pattern(len), pattern(len));
        once::ctr(choice, key, &counter, &mut ours).unwrap();
        Ctr::new(&*kernel, &counter).unwrap().apply(&mut want);
        assert_eq!(ours, want, "CTR, {what}");

        let whole = len / size * size;
        let (mut ours, mut want) = (pattern(whole), pattern(whole));
        once::ecb_encrypt(choice, key, &mut ours).unwrap();
        Ecb::new(&*kernel).encrypt(&mut want).unwrap();
        assert_eq!(ours, want, "ECB, {what}");
        once::ecb_decrypt(choice, key, &mut ours).unwrap();
        assert_eq!(ours, pattern(whole), "ECB back, {what}");

        if size != 16 {
            let refused = once::gcm_encrypt(choice, key, &[1; 12], &[], &mut ours);
            assert!(matches!(refused, Err(Error::BlockSize { .. })), "{what}");
            continue;
        }
        let gcm = Gcm::new(&*kernel).unwrap();
        for (nonce, aad) in [(&pattern(12)[..], &b""[..]), (&[7; 12], b"additional"), (&[7; 16], b"")] {
            let (mut ours, mut want) = (pattern(len), pattern(len));
            let tag = once::gcm_encrypt(choice, key, nonce, aad, &mut ours).unwrap();
            assert_eq!(tag, gcm.encrypt(nonce, aad, &mut want).unwrap(), "GCM tag, {what}");
            assert_eq!(ours, want, "GCM, {what}");
            let mut wrong = tag;
            wrong[15] ^= 1;
            let refused = once::gcm_decrypt(choice, key, nonce, aad, &mut want, &wrong);
            assert_eq!(refused, Err(Error::Authentication), "{what}");
            assert!(want.iter().all(|byte| *byte == 0), "{what}: nothing unauthenticated is released");
            once::gcm_decrypt(choice, key, nonce, aad, &mut ours, &tag).unwrap();
            assert_eq!(ours, pattern(len), "GCM back, {what}");
        }
    }
}

#[test]
fn nothing_is_allocated() {
    for name in ["aes", "serpent", "rc6", "mars", "twofish"] {
        let choice = cipher(name).unwrap().best(Policy::AnyTiming).unwrap();
        let (key, mut data) = (pattern(32), pattern(512));
        // The first call finds out what the CPU has.
        once::ctr(choice, &key, &[1; 16], &mut data).unwrap();
        for len in [16, 64, 256, 512] {
            let data = &mut data[..len];
            let what = |mode| format!("{mode} of {len} bytes with {name}");
            without_allocation(&what("CTR"), || once::ctr(choice, &key, &[1; 16], data)).unwrap();
            without_allocation(&what("ECB"), || once::ecb_encrypt(choice, &key, data)).unwrap();
            let tag =
                without_allocation(&what("GCM"), || once::gcm_encrypt(choice, &key, &[2; 12], b"aad", data));
            let tag = tag.unwrap();
            without_allocation(&what("GCM back"), || {
                once::gcm_decrypt(choice, &key, &[2; 12], b"aad", data, &tag)
            })
            .unwrap();
        }
    }
}
