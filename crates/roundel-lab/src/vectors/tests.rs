use super::*;
use proptest::prelude::*;

const VARIABLE_TEXT: &str = "\
# comment
KEYSIZE=128

KEY=00000000000000000000000000000000

I=1
PT=80000000000000000000000000000000
CT=3AD78E726C1EC02B7EBFE92B23D9EC34

I=2
PT=40000000000000000000000000000000
CT=45BC707D29E8204D88DFBA2F0B0CAD9B
==========
KEYSIZE=192
KEY=000000000000000000000000000000000000000000000000
I=1
PT=80000000000000000000000000000000
CT=6CD02513E8D4DC986B4AFE087A60BD0C
";

fn nist(text: &str) -> Result<Vec<Case>, VectorError> {
    parse("file.txt", text.as_bytes(), Some("rijndael")).map(|file| file.cases)
}

fn message(text: &str) -> String {
    nist(text).expect_err("a damaged file").to_string()
}

#[test]
fn section_fields_hold_for_all_entries() {
    let cases = nist(VARIABLE_TEXT).unwrap();
    let labels: Vec<_> = cases.iter().map(|case| case.label.as_str()).collect();
    assert_eq!(labels, ["KEYSIZE=128 I=1", "KEYSIZE=128 I=2", "KEYSIZE=192 I=1"]);
    let Test::Block(block) = &cases[2].test else { panic!("{:?}", cases[2]) };
    assert_eq!((block.key.len(), block.plain[0], block.cipher[0]), (24, 0x80, 0x6C));
}

#[test]
fn windows_lines_and_spaces_do_not_matter() {
    let text = VARIABLE_TEXT.replace('\n', "\r\n").replace('=', " = ");
    assert_eq!(nist(&text.replace(" =  =  =  =  =  =  =  =  =  = ", "====")).unwrap().len(), 3);
}

/// NIST's own files begin with a heading between two lines of `=`.
#[test]
fn original_heading_is_skipped() {
    let heading =
        "\n=====\n\nFILENAME:  \"ecb_vt.txt\"\nElectronic Codebook (ECB) Mode\nKey = secret\n\n=====\n\n";
    assert_eq!(nist(&format!("{heading}{VARIABLE_TEXT}")).unwrap().len(), 3);
}

#[test]
fn chains_are_told_by_their_content() {
    for (iv, order, expected) in [
        ("", ["PT", "CT"], Chain::EcbEncrypt),
        ("", ["CT", "PT"], Chain::EcbDecrypt),
        ("IV=0F000000000000000000000000000000\n", ["PT", "CT"], Chain::CbcEncrypt),
        ("IV=0F000000000000000000000000000000\n", ["CT", "PT"], Chain::CbcDecrypt),
    ] {
        let zero = "00".repeat(16);
        let one = "11".repeat(16);
        let [start, result] = order;
        let entry = |i| format!("I={i}\nKEY={zero}\n{iv}{start}={zero}\n{result}={one}\n\n");
        let cases = nist(&format!("KEYSIZE=128\n\n{}{}", entry(0), entry(399))).unwrap();
        assert_eq!(cases.len(), 1);
        let Test::Chain { chain, key_bytes: 16, outers } = &cases[0].test else { panic!("{cases:?}") };
        assert_eq!(*chain, expected);
        assert_eq!(outers.iter().map(|outer| outer.index).collect::<Vec<_>>(), [0, 399]);
        assert_eq!(outers[1].result, [0x11; 16]);
        assert_eq!(outers[1].start.iv[0], if iv.is_empty() { 0 } else { 0x0F });
    }
}

#[test]
fn unknown_fields_make_cases_that_are_not_implemented() {
    let text =
        VARIABLE_TEXT.replace("CT=45", "SALT=00\nCT=45").replace("KEYSIZE=192", "TWEAK=1999\nKEYSIZE=192");
    let cases = nist(&text).unwrap();
    assert!(matches!(&cases[0].test, Test::Block(_)));
    assert!(matches!(&cases[1].test, Test::NotImplemented(what) if what == "NIST text with SALT"));
    assert!(matches!(&cases[2].test, Test::NotImplemented(what) if what == "NIST text with TWEAK"));
}

#[test]
fn spice_and_schedule_select_variants_of_hpc() {
    let text = VARIABLE_TEXT
        .replace("CT=3A", "SPICE=0000\nCT=3A")
        .replace("CT=45", "SPICE=0001\nCT=45")
        .replace("KEYSIZE=128", "SCHEDULE=1999\nKEYSIZE=128")
        .replace("KEYSIZE=192", "SCHEDULE=1998\nKEYSIZE=192");
    let cases = parse("x", text.as_bytes(), Some("hpc")).unwrap().cases;
    assert!(matches!(&cases[0].test, Test::Block(_)));
    assert!(matches!(&cases[1].test, Test::Spiced { spice, .. } if *spice == [0, 1]));
    let ciphers: Vec<_> = cases.iter().map(|case| case.cipher.as_str()).collect();
    assert_eq!(ciphers, ["hpc-1999", "hpc-1999", "hpc"]);
    let unknown = nist(&text.replace("1998", "2000")).unwrap();
    assert!(matches!(&unknown[2].test, Test::NotImplemented(what) if what.ends_with("key schedule of 2000")));
}

/// Wherever a file is cut, but between entries or within a comment, it is refused.
#[test]
fn truncated_text_is_an_error() {
    let whole = nist(VARIABLE_TEXT).unwrap().len();
    for end in 0..VARIABLE_TEXT.trim_end().len() {
        match nist(&VARIABLE_TEXT[..end]) {
            Err(_) => {}
            Ok(cases) => {
                assert!(cases.len() < whole, "cut at {end}");
                let kept = &VARIABLE_TEXT[..end];
                let whole_lines = cases.len() == kept.matches("\nI=").count();
                assert!(whole_lines && cases.iter().all(|case| matches!(&case.test, Test::Block(_))));
            }
        }
    }
    assert!(message(&VARIABLE_TEXT[..VARIABLE_TEXT.len() - 36]).contains("truncated"));
}

#[test]
fn damage_is_named_with_its_line() {
    let cases = [
        (VARIABLE_TEXT.replace("CT=3A", "CT=3G"), "line 8: a character that is no hexadecimal digit"),
        (VARIABLE_TEXT.replace("CT=3A", "CT=A"), "line 8: an odd number of hexadecimal digits (31)"),
        (VARIABLE_TEXT.replace("CT=3A", "CT="), "entry I=1: a ciphertext of 15 bytes where 16 are expected"),
        (VARIABLE_TEXT.replace("CT=3AD7", "PT=3AD7"), "line 8: a second PT in one entry"),
        (VARIABLE_TEXT.replace("KEYSIZE=192", "KEYSIZE=256"), "a key of 24 bytes where 32 are expected"),
        (VARIABLE_TEXT.replace("I=2", "I=two"), "I='two' is no number"),
        (VARIABLE_TEXT.replace("I=2", "garbage"), "line 10: 'garbage' is not of the form NAME=value"),
        ("KEYSIZE=128\nKEY=00".to_owned(), "there is no entry"),
    ];
    for (text, expected) in cases {
        assert!(message(&text).contains(expected), "{} lacks {expected}", message(&text));
    }
}

#[test]
fn text_needs_a_cipher_and_other_things_are_no_vectors() {
    let parse = |bytes| parse("x", bytes, None).unwrap_err();
    assert!(matches!(parse(VARIABLE_TEXT.as_bytes()), VectorError::CipherNeeded { .. }));
    assert!(matches!(parse(b"hello"), VectorError::UnknownFormat { .. }));
    assert!(matches!(parse(b""), VectorError::UnknownFormat { .. }));
    assert!(matches!(parse(&[0xFF, 0xFE]), VectorError::UnknownFormat { .. }));
}

const LINE: &str = r#"{"alg":"Safer-Plus-128-CTR","key":"000102030405060708090a0b0c0d0e0f","iv":"","aad":"","pt":"00","ct":"ff","tag":""}"#;

#[test]
fn lines_name_cipher_and_mode() {
    let hash = r#"{"hash":"davies-meyer","cipher":"aes-128","msg":"","digest":"00"}"#;
    let longer = hash.replace("128", "256");
    let file = parse("x", format!("{LINE}\n{hash}\n{longer}\n").as_bytes(), None).unwrap();
    assert_eq!(file.cases.len(), 3);
    assert!(matches!(&file.cases[2].test, Test::NotImplemented(_)));
    assert_eq!((file.cases[0].cipher.as_str(), file.cases[1].cipher.as_str()), ("safer-plus", "aes"));
    assert!(matches!(&file.cases[0].test, Test::Message(m) if m.mode == Mode::Ctr && m.cipher == [0xFF]));
    assert!(matches!(&file.cases[1].test, Test::Hash(hash) if hash.digest == [0]));
}

#[test]
fn damaged_lines_are_errors() {
    for damaged in [&LINE[..LINE.len() - 4], &LINE.replace("128", "192"), &LINE.replace("ff", "f")] {
        let text = format!("{LINE}\n{damaged}");
        let error = parse("x", text.as_bytes(), None).unwrap_err().to_string();
        assert!(error.contains("x, line 2"), "{error}");
    }
}

#[test]
fn wycheproof_counts_its_tests() {
    let file = |count: usize| {
        format!(
            "{{\n\"algorithm\": \"AES-XTS\", \"numberOfTests\": {count}, \"testGroups\": [{{\"tests\": [\n\
             {{\"tcId\": 1, \"key\": \"00\", \"iv\": \"01\", \"msg\": \"\", \"ct\": \"\", \"result\": \"valid\"}}]}}]}}"
        )
    };
    let parsed = parse("x", file(1).as_bytes(), None).unwrap();
    assert!(matches!(&parsed.cases[0].test, Test::Message(m) if m.iv.len() == 16 && m.iv[0] == 1));
    assert!(parse("x", file(2).as_bytes(), None).unwrap_err().to_string().contains("numberOfTests"));
    let cut = file(1);
    assert!(parse("x", &cut.as_bytes()[..cut.len() - 3], None).is_err());
}

/// The embedded files are all there and understood.
#[test]
fn embedded_files_parse() {
    let files = embedded(roundel::CIPHERS).unwrap();
    let count = |name: &str| files.iter().find(|file| file.name == name).map(|file| file.cases.len());
    assert_eq!(count("rijndael/ecb_vk.txt"), Some(128 + 192 + 256));
    assert_eq!(count("rijndael/ecb_vt.txt"), Some(3 * 128));
    assert_eq!(count("rijndael/block192.txt"), Some(60));
    assert_eq!(count("modes/aes-xts.jsonl"), Some(60));
    assert_eq!(count("wycheproof/aes_gcm_test.json"), Some(316));
    for chain in Chain::ALL {
        let name = format!("rijndael/{}.txt", chain.name());
        let file = files.iter().find(|file| file.name == name).unwrap();
        assert_eq!(file.cases.len(), 3);
        for (case, bytes) in file.cases.iter().zip([16, 24, 32]) {
            let Test::Chain { chain: found, key_bytes, outers } = &case.test else { panic!("{case:?}") };
            assert_eq!((*found, *key_bytes), (chain, bytes));
            assert_eq!(outers.iter().map(|outer| outer.index).collect::<Vec<_>>(), [0, 1, 2, 3, 399]);
        }
    }
}

/// A cipher cannot be added without its vectors: NIST's six files in a folder of its name, or at least known answers for each key
/// size in the folder of the cipher that it is a variant of.
#[test]
fn every_registered_cipher_has_vectors() {
    for cipher in roundel::CIPHERS {
        let files = embedded(&[cipher]).unwrap();
        let own: Vec<_> =
            files.iter().flat_map(|file| &file.cases).filter(|case| case.cipher == cipher.name).collect();
        let with_key = |bytes| {
            own.iter().filter(move |case| matches!(&case.test, Test::Block(b) if b.key.len() == bytes))
        };
        let chains = own.iter().filter(|case| matches!(case.test, Test::Chain { .. })).count();
        let has_folder = files.iter().any(|file| file.name == format!("{}/ecb_vk.txt", cipher.name));
        for &bytes in cipher.keys.standard {
            let least = if has_folder { 8 * bytes + 128 } else { 10 };
            assert!(with_key(bytes).count() >= least, "{} with keys of {bytes} bytes", cipher.name);
        }
        assert_eq!(chains, if has_folder { 12 } else { 0 }, "Monte Carlo chains of {}", cipher.name);
        assert!(has_folder || cipher.name.contains('-'), "{} has no vectors of its own", cipher.name);
    }
}

proptest! {
    /// Whatever the bytes, parsing ends in cases or in an error.
    #[test]
    fn parsers_do_not_panic(bytes: Vec<u8>) {
        let _ = parse("x", &bytes, Some("rijndael"));
    }

    /// The same close to the formats: pieces of real lines in any order.
    #[test]
    fn parsers_do_not_panic_on_near_misses(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "KEYSIZE=128\n", "KEYSIZE=", "I=0\n", "I=1\n", "I=", "KEY=", "IV=", "PT=", "CT=", "00", "AB\n", "é", "=",
                "====\n", "\n", "#", "SPICE=1\n", "{", "}", "[", "\"alg\":", "\"AES-128-CTR\"", ",", "\"testGroups\":", "\"tests\":",
                "\"numberOfTests\":1", "\"algorithm\":\"AES-GCM\"", LINE,
            ]),
            0..40,
        )
    ) {
        let _ = parse("x", pieces.concat().as_bytes(), Some("rijndael"));
    }
}
