//! Strategies with large shared tables: not there unless allowed, and then equal to `reference`. The allowance is one for the process, so this is a
//! test program of its own.

use roundel::{CIPHERS, Error, Policy, memory};

#[test]
fn large_tables_need_an_allowance() {
    let large = || {
        let choices = CIPHERS.iter().flat_map(|cipher| cipher.choices());
        choices.filter(|choice| choice.strategy.memory.shared > memory::UNASKED)
    };
    assert!(large().count() >= 1);
    let key = |bytes: usize, seed: usize| -> Vec<u8> {
        (0..bytes).map(|i| (seed * 97 + i * (i + 59) + seed * i * 31) as u8).collect()
    };
    for choice in large() {
        let (name, bytes) = (choice.strategy.name, choice.strategy.memory.shared);
        let refused = choice.kernel(&key(16, 0)).err();
        assert_eq!(refused, Some(Error::MemoryNotAllowed { strategy: name, bytes }));
        assert!(!choice.strategy.available());
        memory::allow(bytes - 1);
        assert!(!choice.strategy.available());
        memory::allow(bytes);
        assert!(choice.strategy.available());
        assert_ne!(choice.cipher.best(Policy::AnyTiming).unwrap().strategy.name, name, "never the default");

        let reference = choice.cipher.strategy("reference").unwrap();
        for (seed, &bytes) in choice.cipher.keys.standard.iter().cycle().take(60).enumerate() {
            let key = key(bytes, seed);
            let (ours, plain) = (choice.kernel(&key).unwrap(), reference.kernel(&key).unwrap());
            let text = self::text(16 * (seed % 7));
            let (mut got, mut want) = (text.clone(), text.clone());
            ours.encrypt(&mut got);
            plain.encrypt(&mut want);
            assert_eq!(got, want, "{name}, {bytes}-byte key {seed}");
            ours.decrypt(&mut got);
            assert_eq!(got, text, "{name}, {bytes}-byte key {seed}, decrypted");
        }
        memory::allow(memory::UNASKED);
    }
}

fn text(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * i + 7 * i) as u8).collect()
}
