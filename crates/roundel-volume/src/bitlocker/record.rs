//! What a volume says about itself without a secret, as one JSON object: the program and the Python package give the same.

use super::metadata::Metadata;
use serde_json::{Value, json};

/// A time of Windows, 100 ns since 1601, in seconds since 1970. `None` before that.
pub fn unix_seconds(filetime: u64) -> Option<u64> {
    (filetime / 10_000_000).checked_sub(11_644_473_600)
}

impl Metadata {
    /// The object, with times as `date` writes seconds since 1970.
    pub fn record(&self, date: fn(u64) -> String) -> Value {
        let time = |filetime| unix_seconds(filetime).map(date);
        let protectors = self.protectors.iter().map(|protector| {
            json!({
                "kind": protector.kind.to_string(),
                "guid": protector.guid.to_string(),
                "name": protector.name,
                "changed": time(protector.changed),
            })
        });
        let bad_copies = self.bad_copies.iter();
        let bad_copies =
            bad_copies.map(|bad| json!({ "offset": bad.offset, "fault": bad.fault.to_string() }));
        json!({
            "version": self.layout.version(),
            "to_go": self.to_go,
            "encrypt_on_write": self.encrypt_on_write,
            "method": format!("{:?}", self.method),
            "method_name": self.method.to_string(),
            "state": self.states[0].to_string(),
            "wanted_state": self.states[1].to_string(),
            "encrypted_bytes": self.encrypted_bytes(),
            "sector_bytes": self.sector_bytes,
            "image_bytes": self.image_bytes(),
            "guid": self.guid.to_string(),
            "created": time(self.created),
            "description": self.description,
            "metadata_offset": self.copy,
            "bad_copies": bad_copies.collect::<Value>(),
            "lacks_bitmaps": self.lacks_bitmaps(),
            "protectors": protectors.collect::<Value>(),
        })
    }
}
