//! Authenticated encryption of files and streams: `seal` and `open`.
