//! What the program says: one file of commands and their output per topic, in `tests/cmd/`.
//!
//! After a deliberate change of a message, `TRYCMD=overwrite cargo test -p roundel-cli --test messages` writes the new ones; read the diff.

#[test]
fn messages() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
