//! NIST's six files in full, for any cipher, in the layout of `vectors/`.

use crate::monte_carlo::{Chain, Run};
use crate::queue;
use crate::vectors::hex;
use roundel::{Choice, Error};
use std::fmt::Write as _;

/// A file that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Its name: `ecb_vk.txt`.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Makes the variable-key and the variable-text file and, for blocks of 16 bytes, the four Monte Carlo files with `outer_iterations` entries
/// for each key size (400 in NIST's). `progress` is told the share that is done.
pub fn files(
    choice: Choice,
    outer_iterations: usize,
    threads: usize,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Vec<Generated>, Error> {
    let mut files = vec![
        file(choice, "ecb_vk", "ECB, variable-key known-answer test", &variable_key(choice)?),
        file(choice, "ecb_vt", "ECB, variable-text known-answer test", &variable_text(choice)?),
    ];
    if choice.cipher.block_bytes != 16 {
        return Ok(files);
    }
    let keys = choice.cipher.keys.standard;
    let jobs = Chain::ALL.into_iter().flat_map(|chain| keys.iter().map(move |&bytes| (1.0, (chain, bytes))));
    let section = |(chain, bytes)| (chain, bytes, chain_section(choice, chain, bytes, outer_iterations));
    let mut sections = queue::run(threads, jobs.collect(), section, progress);
    sections.sort_by_key(|(_, bytes, _)| *bytes);
    for chain in Chain::ALL {
        let own = sections.iter().filter(|(other, _, _)| *other == chain);
        let own: Result<Vec<_>, _> = own.map(|(_, _, section)| section.clone()).collect();
        let mode = if chain.has_iv() { "CBC" } else { "ECB" };
        let direction = if chain.encrypts() { "encryption" } else { "decryption" };
        files.push(file(choice, chain.name(), &format!("{mode} {direction} Monte Carlo test"), &own?));
    }
    Ok(files)
}

/// A file of sections, one for each key size.
fn file(choice: Choice, name: &str, what: &str, sections: &[String]) -> Generated {
    let mut text = String::new();
    let _ = writeln!(text, "# {}", choice.cipher.title);
    let _ = writeln!(text, "# {name}.txt: {what}");
    let _ = writeln!(
        text,
        "# Source: roundel verify --generate, cipher {}, strategy {}",
        choice.cipher.name, choice.strategy.name
    );
    for section in sections {
        let _ = write!(text, "\n{section}");
    }
    Generated { name: format!("{name}.txt"), text }
}

fn variable_key(choice: Choice) -> Result<Vec<String>, Error> {
    let plain = vec![0; choice.cipher.block_bytes];
    let section = |&bytes: &usize| {
        let mut text = format!("KEYSIZE={}\n\nPT={}\n", 8 * bytes, hex(&plain));
        for bit in 1..=8 * bytes {
            let key = one_bit(bytes, bit);
            let mut block = plain.clone();
            choice.kernel(&key)?.encrypt(&mut block);
            let _ = write!(text, "\nI={bit}\nKEY={}\nCT={}\n", hex(&key), hex(&block));
        }
        Ok(text)
    };
    choice.cipher.keys.standard.iter().map(section).collect()
}

fn variable_text(choice: Choice) -> Result<Vec<String>, Error> {
    let section = |&bytes: &usize| {
        let key = vec![0; bytes];
        let kernel = choice.kernel(&key)?;
        let mut text = format!("KEYSIZE={}\n\nKEY={}\n", 8 * bytes, hex(&key));
        for bit in 1..=8 * choice.cipher.block_bytes {
            let plain = one_bit(choice.cipher.block_bytes, bit);
            let mut block = plain.clone();
            kernel.encrypt(&mut block);
            let _ = write!(text, "\nI={bit}\nPT={}\nCT={}\n", hex(&plain), hex(&block));
        }
        Ok(text)
    };
    choice.cipher.keys.standard.iter().map(section).collect()
}

/// All zero but bit `bit`, of which 1 is the most significant of byte 0.
fn one_bit(bytes: usize, bit: usize) -> Vec<u8> {
    let mut value = vec![0; bytes];
    value[(bit - 1) / 8] = 0x80 >> ((bit - 1) % 8);
    value
}

fn chain_section(choice: Choice, chain: Chain, key_bytes: usize, outers: usize) -> Result<String, Error> {
    let mut run = Run::new(choice, chain, key_bytes);
    let mut text = format!("KEYSIZE={}\n", 8 * key_bytes);
    let (start, result) = if chain.encrypts() { ("PT", "CT") } else { ("CT", "PT") };
    for _ in 0..outers {
        let outer = run.step()?;
        let _ = write!(text, "\nI={}\nKEY={}\n", outer.index, hex(&outer.start.key));
        if chain.has_iv() {
            let _ = writeln!(text, "IV={}", hex(&outer.start.iv));
        }
        let _ = write!(text, "{start}={}\n{result}={}\n", hex(&outer.start.text), hex(&outer.result));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundel::{Policy, cipher};

    fn without_comments(text: &str) -> Vec<&str> {
        text.lines().filter(|line| !line.starts_with('#')).collect()
    }

    /// NIST's files of Rijndael come out again: known answers whole, of the chains the first four entries.
    #[test]
    fn files_equal_the_published_ones() {
        let best = cipher("rijndael").unwrap().best(Policy::AnyTiming).unwrap();
        let made = files(best, 4, 2, &|_| ()).unwrap();
        assert_eq!(made.len(), 6);
        for Generated { name, text } in made {
            let path = format!("{}/../../vectors/rijndael/{name}", env!("CARGO_MANIFEST_DIR"));
            let published = std::fs::read_to_string(path).unwrap();
            let published: Vec<_> = published.split_inclusive("\n\n").collect();
            let kept: String =
                published.iter().filter(|entry| !entry.starts_with("I=399\n")).copied().collect();
            assert_eq!(without_comments(text.trim()), without_comments(kept.trim()), "{name}");
        }
    }

    #[test]
    fn larger_blocks_have_no_chains() {
        let block256 = cipher("rijndael-block256").unwrap().best(Policy::AnyTiming).unwrap();
        let names: Vec<_> =
            files(block256, 4, 1, &|_| ()).unwrap().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["ecb_vk.txt", "ecb_vt.txt"]);
    }
}
