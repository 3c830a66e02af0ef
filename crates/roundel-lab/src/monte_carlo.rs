//! The Monte Carlo chains of the AES candidates (NIST, 1998): 400 outer iterations of 10,000 blocks, each block made from the one before.
//!
//! A chain is serial by construction: it measures latency and key setup, never bulk speed. Chains of different key sizes, modes and directions
//! are independent of each other.

use crate::clock::{read_overhead_ns, thread_cpu_ns};
use roundel::{Choice, Error, Kernel};
use std::time::Duration;

/// Outer iterations of a full chain.
pub const OUTER_ITERATIONS: usize = 400;

/// Blocks in each outer iteration.
pub const INNER_ITERATIONS: usize = 10_000;

/// Mode and direction of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// Each ciphertext is the next plaintext.
    EcbEncrypt,
    /// Each plaintext is the next ciphertext.
    EcbDecrypt,
    /// As NIST defines it: the next plaintext is the previous ciphertext.
    CbcEncrypt,
    /// The next ciphertext is the plaintext.
    CbcDecrypt,
}

impl Chain {
    /// All four.
    pub const ALL: [Chain; 4] = [Chain::EcbEncrypt, Chain::EcbDecrypt, Chain::CbcEncrypt, Chain::CbcDecrypt];

    /// The name of NIST's file.
    pub fn name(self) -> &'static str {
        match self {
            Chain::EcbEncrypt => "ecb_e_m",
            Chain::EcbDecrypt => "ecb_d_m",
            Chain::CbcEncrypt => "cbc_e_m",
            Chain::CbcDecrypt => "cbc_d_m",
        }
    }

    /// Whether the kernel encrypts.
    pub fn encrypts(self) -> bool {
        matches!(self, Chain::EcbEncrypt | Chain::CbcEncrypt)
    }

    /// Whether there is an initialisation vector.
    pub fn has_iv(self) -> bool {
        matches!(self, Chain::CbcEncrypt | Chain::CbcDecrypt)
    }
}

/// What an outer iteration starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The key, at most 32 bytes.
    pub key: Vec<u8>,
    /// The initialisation vector; zero and unused in ECB.
    pub iv: [u8; 16],
    /// The plaintext of an encrypting chain, the ciphertext of a decrypting one.
    pub text: [u8; 16],
}

impl State {
    /// Where a chain starts: all zero.
    pub fn zero(key_bytes: usize) -> State {
        State { key: vec![0; key_bytes], iv: [0; 16], text: [0; 16] }
    }
}

/// An outer iteration: an entry of NIST's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outer {
    /// Its number, from 0.
    pub index: usize,
    /// What it starts from.
    pub start: State,
    /// The result of its last block.
    pub result: [u8; 16],
}

/// Where a chain's time went: CPU time of the thread that ran it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Key setup, with the decryption schedule where the chain decrypts; less the time of reading the clock, which is of the same order.
    pub setup: Duration,
    /// The serial encryptions or decryptions.
    pub serial: Duration,
    /// How many outer iterations these are.
    pub outer_iterations: usize,
}

/// A chain as it runs: outer iterations one after the other.
pub struct Run {
    choice: Choice,
    chain: Chain,
    index: usize,
    state: State,
    times: Times,
}

impl Run {
    /// A chain from its beginning.
    pub fn new(choice: Choice, chain: Chain, key_bytes: usize) -> Run {
        Run::from(choice, chain, 0, State::zero(key_bytes))
    }

    /// A chain from the start of outer iteration `index`.
    pub fn from(choice: Choice, chain: Chain, index: usize, state: State) -> Run {
        Run { choice, chain, index, state, times: Times::default() }
    }

    /// Goes on from the start of outer iteration `index` instead; the times add up.
    pub fn restart(&mut self, index: usize, state: State) {
        self.index = index;
        self.state = state;
    }

    /// Runs the next outer iteration. An error for a key that the cipher does not take, for a strategy that cannot run here, and for
    /// a cipher whose block is not of 16 bytes.
    pub fn step(&mut self) -> Result<Outer, Error> {
        if self.choice.cipher.block_bytes != 16 {
            let block_bytes = self.choice.cipher.block_bytes;
            return Err(Error::BlockSize { mode: "the Monte Carlo test", block_bytes });
        }
        let start = self.state.clone();
        let started = thread_cpu_ns();
        let kernel = self.choice.kernel(&self.state.key)?;
        if !self.chain.encrypts() {
            kernel.prepare_decrypt();
        }
        let keyed = thread_cpu_ns();
        let [before_last, result] = blocks(&*kernel, self.chain, &mut self.state);
        let done = thread_cpu_ns();
        self.times.setup += Duration::from_nanos((keyed - started).saturating_sub(read_overhead_ns()));
        self.times.serial += Duration::from_nanos(done - keyed);
        self.times.outer_iterations += 1;
        update_key(&mut self.state.key, before_last, result);
        let index = self.index;
        self.index += 1;
        Ok(Outer { index, start, result })
    }

    /// The time of the steps so far.
    pub fn times(&self) -> Times {
        self.times
    }
}

/// The 10,000 blocks of an outer iteration; `state` becomes the text and IV that the next one starts from. Returns the last
/// two results.
fn blocks(kernel: &dyn Kernel, chain: Chain, state: &mut State) -> [[u8; 16]; 2] {
    match chain {
        Chain::EcbEncrypt => ecb(&mut state.text, |block| kernel.encrypt(block)),
        Chain::EcbDecrypt => ecb(&mut state.text, |block| kernel.decrypt(block)),
        Chain::CbcEncrypt => cbc_encrypt(kernel, state),
        Chain::CbcDecrypt => cbc_decrypt(kernel, state),
    }
}

fn ecb(text: &mut [u8; 16], cipher: impl Fn(&mut [u8])) -> [[u8; 16]; 2] {
    for _ in 0..INNER_ITERATIONS - 1 {
        cipher(text);
    }
    let before_last = *text;
    cipher(text);
    [before_last, *text]
}

/// PT[j+1] is CV[0] for j = 0 and CT[j-1] after it: both times CV[j], since CV[j+1] = CT[j].
fn cbc_encrypt(kernel: &dyn Kernel, state: &mut State) -> [[u8; 16]; 2] {
    let State { iv: chaining, text, .. } = state;
    for _ in 0..INNER_ITERATIONS {
        let mut block = xor(*text, *chaining);
        kernel.encrypt(&mut block);
        *text = *chaining;
        *chaining = block;
    }
    [*text, *chaining]
}

/// CV[j+1] = CT[j] and CT[j+1] = PT[j], so the last CV is the last plaintext but one.
fn cbc_decrypt(kernel: &dyn Kernel, state: &mut State) -> [[u8; 16]; 2] {
    let State { iv: chaining, text, .. } = state;
    for _ in 0..INNER_ITERATIONS {
        let mut block = *text;
        kernel.decrypt(&mut block);
        let plain = xor(block, *chaining);
        *chaining = *text;
        *text = plain;
    }
    [*chaining, *text]
}

fn xor(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
}

/// KEY ^= the last bytes of the last two results, as many as the key has.
fn update_key(key: &mut [u8], before_last: [u8; 16], last: [u8; 16]) {
    let results = before_last.into_iter().chain(last).rev();
    for (byte, result) in key.iter_mut().rev().zip(results) {
        *byte ^= result;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::hex;
    use roundel::{Policy, cipher};

    /// The check values of NIST's Rijndael files, 128-bit key, I = 0.
    #[test]
    fn first_outer_iteration_of_rijndael() {
        let expected = [
            "C34C052CC0DA8D73451AFE5F03BE297F",
            "44416AC2D1F53C583303917E6BE9EBE0",
            "8A05FC5E095AF4848A08D328D3688E3D",
            "FACA37E0B0C85373DF706E73F7C9AF86",
        ];
        let best = cipher("rijndael").unwrap().best(Policy::AnyTiming).unwrap();
        for (chain, expected) in Chain::ALL.into_iter().zip(expected) {
            let mut run = Run::new(best, chain, 16);
            assert_eq!(hex(&run.step().unwrap().result), expected, "{}", chain.name());
            assert_eq!(run.times().outer_iterations, 1);
        }
    }

    #[test]
    fn keys_take_the_last_bytes_of_the_last_two_results() {
        for key_bytes in [16, 24, 32] {
            let mut key = vec![0xA0; key_bytes];
            let results: [u8; 32] = std::array::from_fn(|i| i as u8);
            let [a, b] = [0, 16].map(|at| results[at..at + 16].try_into().unwrap());
            update_key(&mut key, a, b);
            let expected: Vec<u8> = results[32 - key_bytes..].iter().map(|byte| byte ^ 0xA0).collect();
            assert_eq!(key, expected);
        }
    }

    #[test]
    fn larger_blocks_are_refused() {
        let best = cipher("rijndael-block256").unwrap().best(Policy::AnyTiming).unwrap();
        assert!(Run::new(best, Chain::EcbEncrypt, 16).step().is_err());
    }
}
