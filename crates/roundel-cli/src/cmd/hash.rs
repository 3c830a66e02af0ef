//! `roundel hash`: files through a hash construction over a block cipher, printed and checked as sha256sum does.

use super::profile;
use crate::args::{Global, MemoryOptions};
use crate::error::Error;
use crate::input::{Input, is_dash};
use crate::output;
use roundel::modes::hash::{BlockHash, Construction, DIGEST_BYTES};
use roundel::{Policy, Standing};
use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What to hash, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Construction: davies-meyer, matyas-meyer-oseas or miyaguchi-preneel
    #[arg(long, value_name = "NAME", value_parser = construction)]
    construction: Construction,
    /// Cipher with blocks of 128 bits, as `roundel list` shows them; its keys have 128 bits
    #[arg(long, value_name = "NAME", default_value = "aes")]
    cipher: String,
    /// Strategy [default: the one planned for a fresh key for each block]
    #[arg(long, value_name = "NAME")]
    strategy: Option<String>,
    /// Use only strategies whose timing is independent of the data
    #[arg(long, conflicts_with = "strategy")]
    constant_time: bool,
    #[command(flatten)]
    memory: MemoryOptions,
    /// Read digests and names from the files, and check them
    #[arg(long, short)]
    check: bool,
    /// Input files; `-` is standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn construction(name: &str) -> Result<Construction, String> {
    Construction::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| {
        let names = Construction::ALL.map(Construction::name);
        format!("there is no construction '{name}': they are {}", names.join(", "))
    })
}

/// `roundel hash`.
pub(crate) fn run(options: &Options, global: &Global) -> Result<(), Error> {
    options.memory.apply();
    let hash = options.hash(global)?;
    let dash = [PathBuf::from("-")];
    let files = if options.files.is_empty() { &dash[..] } else { &options.files };
    if options.check {
        return check(files, &hash, global);
    }
    warn(options.construction, &hash, global);
    let mut failures = Vec::new();
    for_each_in_order(
        global.threads(),
        files,
        |file| digest(file, &hash),
        |file, digest| match digest {
            Ok(digest) => output::print(&line(&digest, file)),
            Err(error) => {
                if files.len() > 1 {
                    eprintln!("roundel: {error}");
                }
                failures.push(error);
                Ok(())
            }
        },
    )?;
    match failures.len() {
        0 => Ok(()),
        _ if files.len() == 1 => Err(failures.remove(0)),
        failed => Err(Error::SomeFailed { failed, total: files.len() }),
    }
}

impl Options {
    /// The hash of an empty message.
    fn hash(&self, global: &Global) -> Result<BlockHash, Error> {
        let cipher = roundel::cipher(&self.cipher)?;
        let policy = if self.constant_time { Policy::ConstantTime } else { Policy::AnyTiming };
        if let Some(name) = &self.strategy {
            return Ok(BlockHash::new(self.construction, cipher.strategy(name)?)?);
        }
        profile::load(global, Some(cipher));
        Ok(BlockHash::planned(self.construction, cipher, policy)?)
    }
}

/// What the user should know, on standard error.
fn warn(construction: Construction, hash: &BlockHash, global: &Global) {
    let (name, cipher) = (construction.name(), hash.choice().cipher);
    match cipher.standing {
        Standing::Sound => {}
        Standing::Unreviewed(why) => global.note(&format!("{} is unreviewed: {why}", cipher.name)),
        Standing::Broken(why) => global.note(&format!("{} is broken: {why}", cipher.name)),
    }
    global.note(&format!(
        "{name} is proved secure for an ideal cipher only, and its digests of 128 bits collide after 2^64 steps"
    ));
}

/// Bytes that are read at once.
const PIECE_BYTES: usize = 1 << 16;

fn digest(file: &Path, hash: &BlockHash) -> Result<[u8; DIGEST_BYTES], Error> {
    let mut input = Input::open(Some(file))?;
    let (mut hash, mut piece) = (hash.clone(), vec![0; PIECE_BYTES]);
    loop {
        match input.read(&mut piece) {
            Ok(0) => return Ok(hash.finish()),
            Ok(bytes) => hash.update(&piece[..bytes]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::file("read", file, error)),
        }
    }
}

/// Calls `work` for each file, one thread each, and `done` with the results, one at a time and in order.
fn for_each_in_order<T: Send>(
    threads: usize,
    files: &[PathBuf],
    work: impl Fn(&Path) -> T + Sync,
    done: impl FnMut(&Path, T) -> Result<(), Error> + Send,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Ordered<T, _>> = Mutex::new(Ordered { waiting: Vec::new(), due: 0, done });
    let take_all = || -> Result<(), Error> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(index) else { return Ok(()) };
            let result = work(file);
            let mut results = results.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if let Err(error) = results.take(files, index, result) {
                next.store(files.len(), Ordering::Relaxed);
                return Err(error);
            }
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(files.len())).map(|_| scope.spawn(take_all)).collect();
        let mut outcome = take_all();
        for other in others {
            outcome = outcome.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        outcome
    })
}

/// Results that came before their turn.
struct Ordered<T, F> {
    waiting: Vec<(usize, T)>,
    due: usize,
    done: F,
}

impl<T, F: FnMut(&Path, T) -> Result<(), Error>> Ordered<T, F> {
    fn take(&mut self, files: &[PathBuf], index: usize, result: T) -> Result<(), Error> {
        self.waiting.push((index, result));
        while let Some(at) = self.waiting.iter().position(|(index, _)| *index == self.due) {
            let (index, result) = self.waiting.swap_remove(at);
            (self.done)(&files[index], result)?;
            self.due += 1;
        }
        Ok(())
    }
}

/// A line of output: digest and name. A name with a line feed, carriage return or backslash is escaped, and the line marked by a
/// backslash in front.
fn line(digest: &[u8], file: &Path) -> String {
    let name = file.display().to_string();
    let escaped = name.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
    let mark = if escaped == name { "" } else { "\\" };
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{mark}{digits}  {escaped}\n")
}

/// A line of output, read back.
#[derive(Debug, PartialEq)]
struct Listed {
    digest: Vec<u8>,
    file: PathBuf,
}

impl Listed {
    fn parse(line: &str) -> Option<Listed> {
        let (escaped, line) = line.strip_prefix('\\').map_or((false, line), |rest| (true, rest));
        let (digits, rest) = line.split_at_checked(2 * DIGEST_BYTES)?;
        let digit = |at: usize| char::from(digits.as_bytes()[at]).to_digit(16);
        let digest: Option<Vec<u8>> =
            (0..DIGEST_BYTES).map(|i| Some((digit(2 * i)? << 4 | digit(2 * i + 1)?) as u8)).collect();
        let name =
            rest.strip_prefix("  ").or_else(|| rest.strip_prefix(" *")).filter(|name| !name.is_empty())?;
        let name = if escaped { unescape(name)? } else { Cow::Borrowed(name) };
        Some(Listed { digest: digest?, file: PathBuf::from(name.into_owned()) })
    }
}

fn unescape(name: &str) -> Option<Cow<'_, str>> {
    let mut plain = String::new();
    let mut characters = name.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next()? {
                'n' => '\n',
                'r' => '\r',
                '\\' => '\\',
                _ => return None,
            },
            other => other,
        });
    }
    Some(Cow::Owned(plain))
}

/// What the check of a list found.
#[derive(Default)]
struct Found {
    matched: usize,
    mismatched: usize,
    unreadable: usize,
}

/// `--check`: the messages and the exit code are sha256sum's.
fn check(lists: &[PathBuf], hash: &BlockHash, global: &Global) -> Result<(), Error> {
    let mut warnings = Vec::new();
    for list in lists {
        warnings.extend(check_list(list, hash, global)?);
    }
    match warnings.pop() {
        None => Ok(()),
        Some(last) => {
            warnings.iter().for_each(|warning| eprintln!("roundel: {warning}"));
            Err(Error::Other(last))
        }
    }
}

/// Checks what one list names; gives the sentences that make the run fail.
fn check_list(list: &Path, hash: &BlockHash, global: &Global) -> Result<Vec<String>, Error> {
    let mut bytes = Vec::new();
    Input::open(Some(list))?.read_to_end(&mut bytes).map_err(|error| Error::file("read", list, error))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = || text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let listed: Vec<_> = lines().filter_map(Listed::parse).collect();
    let malformed = lines().count() - listed.len();
    let list_name = if is_dash(list) { "'standard input'".to_owned() } else { list.display().to_string() };
    if listed.is_empty() {
        return Ok(vec![format!("{list_name}: no properly formatted checksum lines found")]);
    }
    if malformed > 0 {
        // sha256sum warns of these, but fails only by --strict.
        let (lines, are) = if malformed == 1 { ("line", "is") } else { ("lines", "are") };
        global.note(&format!("WARNING: {malformed} {lines} {are} improperly formatted"));
    }
    let files: Vec<_> = listed.iter().map(|entry| entry.file.clone()).collect();
    let (mut found, mut digests) = (Found::default(), listed.iter().map(|entry| &entry.digest));
    for_each_in_order(
        global.threads(),
        &files,
        |file| digest(file, hash),
        |file, digest| {
            let expected = digests.next().expect("as many as files");
            let shown = line(&[], file);
            let (mark, name) = shown.trim_end_matches('\n').split_once("  ").expect("as `line` makes it");
            match digest {
                Ok(digest) if digest[..] == expected[..] => {
                    found.matched += 1;
                    if global.quiet { Ok(()) } else { output::print(&format!("{mark}{name}: OK\n")) }
                }
                Ok(_) => {
                    found.mismatched += 1;
                    output::print(&format!("{mark}{name}: FAILED\n"))
                }
                Err(error) => {
                    found.unreadable += 1;
                    eprintln!("roundel: {error}");
                    output::print(&format!("{mark}{name}: FAILED open or read\n"))
                }
            }
        },
    )?;
    Ok(found.sentences())
}

impl Found {
    fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        match self.unreadable {
            0 => {}
            1 => sentences.push("WARNING: 1 listed file could not be read".to_owned()),
            n => sentences.push(format!("WARNING: {n} listed files could not be read")),
        }
        match self.mismatched {
            0 => {}
            1 => sentences.push("WARNING: 1 computed checksum did NOT match".to_owned()),
            n => sentences.push(format!("WARNING: {n} computed checksums did NOT match")),
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_back() {
        let digest = [0xA5; DIGEST_BYTES];
        for name in ["file", "-", "two words", " leading", "a\\b", "a\nb", "a\rb", "a\\nb"] {
            let line = line(&digest, Path::new(name));
            assert_eq!(line.lines().count(), 1, "{name:?}");
            let listed = Listed::parse(line.trim_end_matches('\n')).expect(name);
            assert_eq!(listed, Listed { digest: digest.to_vec(), file: name.into() });
        }
        let binary = format!("{} *file", "0f".repeat(DIGEST_BYTES));
        assert_eq!(Listed::parse(&binary).unwrap().file, Path::new("file"));
    }

    #[test]
    fn other_lines_are_refused() {
        let digits = "a5".repeat(DIGEST_BYTES);
        for bad in
            [&digits, &format!("{digits} file"), &format!("{digits}  "), &format!("{}  f", &digits[1..]), "é"]
        {
            assert_eq!(Listed::parse(bad), None, "{bad}");
        }
        assert_eq!(Listed::parse(&format!("\\{digits}  a\\x")), None);
        assert_eq!(Listed::parse(&format!("{}zz  f", &digits[2..])), None);
    }

    #[test]
    fn results_come_in_order() {
        let files: Vec<PathBuf> = (0..50).map(|i| PathBuf::from(i.to_string())).collect();
        let mut seen = Vec::new();
        for_each_in_order(
            4,
            &files,
            |file| file.to_owned(),
            |file, result| {
                assert_eq!(file, result.as_path());
                seen.push(file.to_owned());
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(seen, files);
    }
}
