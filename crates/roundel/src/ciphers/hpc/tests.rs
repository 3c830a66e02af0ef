use super::reference::Reference;
use super::*;

fn hex<const N: usize>(text: &str) -> [u8; N] {
    std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex digits"))
}

/// The worked example of the description: key and text count up from 0; with spice 0, 1, ..., 63.
#[test]
fn worked_example() {
    let counting: [u8; 16] = std::array::from_fn(|i| i as u8);
    let spice = std::array::from_fn(|i| i as u8);
    let zero = [0; SPICE_BYTES];
    for (schedule, spice, ciphertext) in [
        (Schedule::Submitted, &zero, "027EE6B533048904C1C397BCF9B42B4A"),
        (Schedule::Repaired, &zero, "2117C1D420165B0EE081912F607FB1D2"),
        (Schedule::Repaired, &spice, "74CDAEE3FA135FEE45B39633294938D5"),
    ] {
        let kernel = with_spice(schedule, &counting, spice).unwrap();
        let mut block = counting;
        kernel.encrypt(&mut block);
        assert_eq!(block, hex(ciphertext), "{schedule:?}");
        kernel.decrypt(&mut block);
        assert_eq!(block, counting, "{schedule:?}");
    }
}

/// The spice vectors: every entry of the designer's and of the two-implementation sections, by the fast kernel and by the reference.
#[test]
fn spice_vectors() {
    let (mut schedule, mut entries) = (Schedule::Submitted, 0);
    let (mut key, mut spice, mut text) = (Vec::new(), [0; SPICE_BYTES], [0; 16]);
    for line in include_str!("../../../../../vectors/hpc/ecb_spice_1999.txt").lines() {
        match line.split_once('=') {
            Some(("SCHEDULE", year)) => {
                schedule = if year == "1998" { Schedule::Submitted } else { Schedule::Repaired };
            }
            Some(("KEY", value)) => key = hex::<32>(&format!("{value:0<64}"))[..value.len() / 2].to_vec(),
            Some(("SPICE", value)) => spice = hex(value),
            Some(("PT", value)) => text = hex(value),
            Some(("CT", value)) => {
                let mut reference = Reference::new(schedule, &key);
                reference.spice.iter_mut().zip(schedule::words(&spice)).for_each(|(to, word)| *to = word);
                for kernel in [&*with_spice(schedule, &key, &spice).unwrap(), &reference] {
                    let mut block = text;
                    kernel.encrypt(&mut block);
                    assert_eq!(block, hex(value), "{line}");
                    kernel.decrypt(&mut block);
                    assert_eq!(block, text, "{line}");
                }
                entries += 1;
            }
            _ => {}
        }
    }
    assert_eq!(entries, 92);
}

#[test]
fn a_key_of_the_wrong_length_is_refused() {
    assert!(with_spice(Schedule::Submitted, &[0; 17], &[0; SPICE_BYTES]).is_err());
}

#[test]
fn known_answers() {
    crate::ciphers::known_answers::check(&CIPHER);
}
