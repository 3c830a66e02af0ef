//! Ctrl-C and SIGTERM: nothing is left behind, and the exit code is 128 + the signal's number (130 for Ctrl-C).

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::File;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};

/// The terminal as it was before a passphrase was asked for.
static TERMINAL: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// Starts the thread that waits for signals. Files in the making have no name where the file system allows it, and vanish with the process; the others
/// are removed here.
pub(crate) fn watch() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            roundel_seal::remove_temporaries();
            restore_terminal();
            let clear = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
            eprintln!("{clear}roundel: interrupted: no unfinished file was left behind");
            std::process::exit(128 + signal);
        }
    });
}

/// Remembers the terminal's settings, to be put back if a signal ends the process while the echo is off.
pub(crate) fn remember_terminal() {
    let terminal = File::open("/dev/tty").ok().and_then(|tty| {
        let settings = tcgetattr(&tty).ok()?;
        Some((tty, settings))
    });
    *TERMINAL.lock().unwrap_or_else(PoisonError::into_inner) = terminal;
}

fn restore_terminal() {
    if let Some((tty, settings)) = &*TERMINAL.lock().unwrap_or_else(PoisonError::into_inner) {
        let _ = tcsetattr(tty, OptionalActions::Now, settings);
    }
}
