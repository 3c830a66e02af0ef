//! Errors of the crates as exceptions of `roundel.errors`.

use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyOSError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::io;

/// An exception class of `roundel.errors`, looked up once.
struct Class(&'static str, PyOnceLock<Py<PyType>>);

static ROUNDEL: Class = Class("RoundelError", PyOnceLock::new());
static AUTHENTICATION: Class = Class("AuthenticationError", PyOnceLock::new());
static DAMAGED: Class = Class("DamagedError", PyOnceLock::new());
static TRUNCATED: Class = Class("TruncatedError", PyOnceLock::new());
static WRONG_KEY: Class = Class("WrongKeyError", PyOnceLock::new());
static PARAMETER: Class = Class("ParameterError", PyOnceLock::new());

impl Class {
    fn with(&'static self, message: String) -> PyErr {
        Python::attach(|py| match self.1.import(py, "roundel.errors", self.0) {
            Ok(class) => PyErr::from_type(class.clone(), message),
            Err(error) => error,
        })
    }
}

/// An argument that makes no sense.
pub(crate) fn parameter(message: String) -> PyErr {
    PARAMETER.with(message)
}

/// Any other failure.
pub(crate) fn other(message: String) -> PyErr {
    ROUNDEL.with(message)
}

/// What goes wrong in ciphers and modes, on its way to Python.
pub(crate) enum Fault {
    /// The engine refuses.
    Engine(roundel::Error),
    /// The package refuses.
    Parameter(&'static str),
}

impl From<roundel::Error> for Fault {
    fn from(error: roundel::Error) -> Self {
        Fault::Engine(error)
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> PyErr {
        match fault {
            Fault::Engine(error @ roundel::Error::Authentication) => AUTHENTICATION.with(error.to_string()),
            Fault::Engine(error) => parameter(error.to_string()),
            Fault::Parameter(message) => parameter(message.to_owned()),
        }
    }
}

/// [`roundel_seal::Error`] as an exception; what the system says becomes the `OSError` that Python programs expect.
pub(crate) fn seal(error: roundel_seal::Error) -> PyErr {
    use roundel_seal::Error as E;
    let message = error.to_string();
    match error {
        E::NoInput(path) => PyFileNotFoundError::new_err((2, message, path)),
        E::Exists(path) => PyFileExistsError::new_err((17, message, path)),
        E::Io { source, place, .. } => io_error(source, message, place),
        E::NoMatchingKey | E::WrongBareKey | E::WrongPassphrase | E::KeyKind(_) => WRONG_KEY.with(message),
        E::Truncated { .. } | E::Cut { .. } => TRUNCATED.with(message),
        E::NotSealed | E::Header(_) | E::Start { .. } | E::Chunk { .. } | E::Trailing { .. } => {
            DAMAGED.with(message)
        }
        E::Engine(error) => Fault::Engine(error).into(),
        E::Key(_) | E::Unsound { .. } | E::UnknownSuite(_) | E::Range { .. } => PARAMETER.with(message),
        _ => ROUNDEL.with(message),
    }
}

/// [`roundel_volume::Error`] as an exception.
pub(crate) fn volume(error: roundel_volume::Error) -> PyErr {
    use roundel_volume::Error as E;
    let message = error.to_string();
    match error {
        E::NoInput(path) => PyFileNotFoundError::new_err((2, message, path)),
        E::Io { source, place, .. } => io_error(source, message, place),
        E::NoProtector { .. } | E::BekFile(_) | E::WrongSecret(_) | E::SecretNeeded(_) => {
            WRONG_KEY.with(message)
        }
        E::Truncated { .. } => TRUNCATED.with(message),
        E::NotBitLocker | E::Damaged(_) | E::Altered | E::NoBitmaps => DAMAGED.with(message),
        E::Engine(error) => Fault::Engine(error).into(),
        E::RecoveryPassword(_) | E::Range { .. } => PARAMETER.with(message),
        _ => ROUNDEL.with(message),
    }
}

/// An error of the system, or an exception that a Python file object raised.
fn io_error(source: io::Error, message: String, place: String) -> PyErr {
    match source.raw_os_error() {
        // With three arguments the class is that of the number: PermissionError, ...
        Some(number) => PyOSError::new_err((number, message, place)),
        None if source.get_ref().is_some_and(|inner| inner.is::<PyErr>()) => source.into(),
        None => PyOSError::new_err(message),
    }
}

/// The error of a reader: one of ours that travelled inside, or the system's.
pub(crate) fn reading(error: io::Error) -> PyErr {
    let error = match error.downcast::<roundel_seal::Error>() {
        Ok(error) => return seal(error),
        Err(error) => error,
    };
    match error.downcast::<roundel_volume::Error>() {
        Ok(error) => volume(error),
        Err(error) => error.into(),
    }
}
