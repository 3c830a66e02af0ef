//! `roundel volume serve`: a BitLocker volume as a read-only NBD export.

use super::OpenOptions;
use crate::args::Global;
use crate::error::Error;
use crate::output;
use roundel_volume::nbd::{self, Connection, EXPORT_NAME};
use roundel_volume::{Result as VolumeResult, Volume};
use rustix::fs::Mode;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// More clients at once are turned away.
const MAX_CLIENTS: usize = 64;

/// Options of `volume serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    open: OpenOptions,
    /// Where to listen: HOST:PORT, or a path (with a slash) for a socket that only you can use
    #[arg(long, value_name = "ADDR")]
    nbd: String,
}

/// Opens the volume and serves it until a signal comes.
pub(crate) fn run(options: &Options, global: &Global) -> Result<(), Error> {
    let volume = options.open.unlock(global)?;
    let path = options.nbd.contains('/').then(|| PathBuf::from(&options.nbd));
    let server = Server { volume: Arc::new(volume), clients: Arc::default() };
    match &path {
        Some(path) => {
            let listener = listen_at(path).map_err(|error| Error::file("listen at", path, error))?;
            stop_on_signals(Some(path.clone()));
            announce(&format!("nbd+unix:///{EXPORT_NAME}?socket={}", path.display()))?;
            server.accept_all(|| listener.accept().map(|(stream, _)| stream), global)
        }
        None => {
            let failed = |error| Error::file("listen at", Path::new(&options.nbd), error);
            let listener = TcpListener::bind(&options.nbd).map_err(failed)?;
            let address = listener.local_addr().map_err(failed)?;
            if !address.ip().is_loopback() {
                global.note("anybody who can reach this port can read the volume: NBD has no password");
            }
            stop_on_signals(None);
            announce(&format!("nbd://{address}/{EXPORT_NAME}"))?;
            server.accept_all(|| listener.accept().map(|(stream, _)| stream), global)
        }
    }
}

/// Says on standard output that clients can come, and where to.
fn announce(address: &str) -> Result<(), Error> {
    output::print(&format!("{address}\n"))
}

struct Server {
    volume: Arc<Volume>,
    clients: Arc<AtomicUsize>,
}

impl Server {
    /// A thread for each client. What goes wrong with one is not the others' concern.
    fn accept_all<C: Connection + Send + 'static>(
        &self,
        accept: impl Fn() -> io::Result<C>,
        global: &Global,
    ) -> Result<(), Error> {
        let quiet = global.quiet;
        loop {
            match accept() {
                Ok(connection) => {
                    let guest = Guest::new(&self.clients);
                    if guest.number > MAX_CLIENTS {
                        global.note("turned a client away: there are too many");
                        continue;
                    }
                    let volume = Arc::clone(&self.volume);
                    std::thread::spawn(move || {
                        let _guest = guest;
                        note_failure(nbd::serve(&volume, connection), quiet);
                    });
                }
                // No descriptors left, for instance: those who are served go on.
                Err(error) => {
                    global.note(&format!("cannot take a client: {error}"));
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
        }
    }
}

fn note_failure(outcome: VolumeResult<()>, quiet: bool) {
    if let Err(error) = outcome
        && !quiet
    {
        eprintln!("roundel: {error}");
    }
}

/// Counts a client while it is there.
struct Guest {
    number: usize,
    clients: Arc<AtomicUsize>,
}

impl Guest {
    fn new(clients: &Arc<AtomicUsize>) -> Guest {
        Guest { number: clients.fetch_add(1, Ordering::Relaxed) + 1, clients: Arc::clone(clients) }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A socket for this user only. One that nobody listens at any more is replaced.
fn listen_at(path: &Path) -> io::Result<UnixListener> {
    let abandoned = fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_socket())
        && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    if abandoned {
        fs::remove_file(path)?;
    }
    let before = rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let listener = UnixListener::bind(path);
    rustix::process::umask(before);
    listener
}

/// Ctrl-C and SIGTERM are how serving ends: the socket goes, and that is success.
fn stop_on_signals(socket: Option<PathBuf>) {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            if let Some(path) = socket {
                let _ = fs::remove_file(path);
            }
            std::process::exit(0);
        }
    });
}
