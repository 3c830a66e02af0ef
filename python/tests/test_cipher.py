"""The objects of PEP 272, and what they refuse."""

import pytest

import roundel

KEY = bytes(range(32))
IV = bytes(range(16))


def test_registry():
    names = [cipher["name"] for cipher in roundel.ciphers()]
    assert {"rijndael", "serpent", "twofish", "mars", "rc6", "rijndael-block256"} <= set(names)
    rows = roundel.strategies()
    assert {row["cipher"] for row in rows} == set(names)
    assert [row["name"] for row in roundel.strategies("aes")][0] == "reference"
    with pytest.raises(roundel.ParameterError, match="no cipher 'des'"):
        roundel.strategies("des")


@pytest.mark.parametrize("cipher", [entry["name"] for entry in roundel.ciphers()])
def test_every_cipher_there_and_back(cipher):
    entry = next(entry for entry in roundel.ciphers() if entry["name"] == cipher)
    block = entry["block_bits"] // 8
    data = bytes(range(256)) * 3
    for bits in entry["key_bits"]:
        key = KEY[: bits // 8].ljust(bits // 8, b"k")
        for mode, given in [("ecb", {}), ("cbc", {"iv": bytes(block)}), ("ctr", {"nonce": b"nonce"})]:
            options = {"mode": mode, "allow_timing_leaks": True, **given}
            sealed = roundel.encrypt(cipher, key, data, **options)
            assert sealed != data
            assert roundel.decrypt(cipher, key, sealed, **options) == data


def test_pep_272_attributes():
    cipher = roundel.new("aes", KEY, mode="ctr", nonce=IV)
    assert (cipher.block_size, cipher.key_size, cipher.name) == (16, 32, "rijndael")
    assert "ctr" in repr(cipher) and KEY.hex() not in repr(cipher)
    assert cipher.strategy in [row["name"] for row in roundel.strategies("aes")]


def test_ctr_goes_on():
    whole = roundel.new("aes", KEY, mode="ctr", nonce=IV).encrypt(bytes(10_000))
    cipher = roundel.new("aes", KEY, mode="ctr", nonce=IV)
    parts = [cipher.encrypt(bytes(size)) for size in (0, 1, 15, 16, 17, 4951, 5000)]
    assert b"".join(parts) == whole


def test_xts_goes_on_by_data_units():
    key = KEY + KEY[::-1]
    data = bytes(range(256)) * 8
    whole = roundel.new("aes", key, mode="xts", unit_bytes=512, unit=7).encrypt(data)
    cipher = roundel.new("aes", key, mode="xts", unit_bytes=512, unit=7)
    assert cipher.encrypt(data[:512]) + cipher.encrypt(data[512:]) == whole
    assert cipher.decrypt(whole[512:1024], unit=8) == data[512:1024]
    # A refused message uses up no number.
    cipher = roundel.new("aes", key, mode="xts", unit_bytes=512, unit=7)
    with pytest.raises(roundel.ParameterError, match="at least 16"):
        cipher.encrypt(bytes(513))
    assert cipher.encrypt(data) == whole


def test_one_direction():
    for mode in ("cbc", "ctr"):
        cipher = roundel.new("aes", KEY, mode=mode, iv=IV)
        cipher.encrypt(bytes(16))
        with pytest.raises(roundel.ParameterError, match="one way"):
            cipher.decrypt(bytes(16))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cipher": "des", "mode": "ecb"}, "no cipher 'des'"),
        ({"mode": "ofb"}, "no mode 'ofb'"),
        ({"mode": "ecb", "key": bytes(17)}, "128, 192 or 256 bits"),
        ({"mode": "ctr"}, "nonce="),
        ({"mode": "cbc"}, "iv="),
        ({"mode": "gcm"}, "nonce="),
        ({"mode": "cbc", "iv": bytes(8)}, "16 bytes"),
        ({"mode": "ctr", "nonce": bytes(17)}, "1 to 16 bytes"),
        ({"mode": "ctr", "nonce": IV, "iv": IV}, "two names"),
        ({"mode": "ecb", "strategy": "magic"}, "no strategy 'magic'"),
        ({"mode": "xts", "key": bytes(64)}, "halves"),
        ({"mode": "xts", "cipher": "rijndael-block256", "key": bytes(32) + KEY, "allow_timing_leaks": True}, "not defined"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(roundel.ParameterError, match=message) as caught:
        roundel.new(**{"cipher": "aes", "key": KEY, **arguments})
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).count("\n") == 0


def test_whole_blocks():
    for mode in ("ecb", "cbc"):
        with pytest.raises(roundel.ParameterError, match="whole blocks"):
            roundel.encrypt("aes", KEY, b"not a block", mode=mode, iv=IV if mode == "cbc" else None)


def test_timing_leaks_are_asked_for():
    with pytest.raises(roundel.ParameterError, match="timing"):
        roundel.new("mars", KEY, mode="ecb")
    assert roundel.new("mars", KEY, mode="ecb", allow_timing_leaks=True).strategy


@pytest.mark.parametrize("size", [0, 1, 16, 4096, 16_384, 16_385, 100_000])
def test_gcm_message_sizes(size):
    gcm = roundel.Gcm("aes", KEY)
    data = bytes(i % 251 for i in range(size))
    sealed = gcm.encrypt(IV[:12], data, b"head")
    assert len(sealed) == size + 16
    assert gcm.decrypt(IV[:12], sealed, b"head") == data
    message = roundel.new("aes", KEY, mode="gcm", nonce=IV[:12])
    message.update(b"head")
    assert message.decrypt_and_verify(sealed[:-16], sealed[-16:]) == data
    for at in {0, size // 2, size, size + 15}:
        changed = bytearray(sealed)
        changed[at] ^= 1
        for attempt in (
            lambda: gcm.decrypt(IV[:12], changed, b"head"),
            lambda: gcm.decrypt(IV[:12], sealed, b"Head"),
            lambda: gcm.decrypt(IV[1:13], sealed, b"head"),
            lambda: roundel.decrypt("aes", KEY, changed, mode="gcm", nonce=IV[:12], associated_data=b"head"),
        ):
            with pytest.raises(roundel.AuthenticationError, match="wrong or the data was changed"):
                attempt()
    with pytest.raises(roundel.AuthenticationError):
        gcm.decrypt(IV[:12], sealed[:15])


def test_gcm_message_order():
    message = roundel.Gcm("serpent", KEY).message(IV[:12])
    assert message.nonce == IV[:12]
    assert not hasattr(message, "decrypt")
    message.encrypt(bytes(16))
    with pytest.raises(roundel.ParameterError, match="update"):
        message.update(b"late")
    with pytest.raises(roundel.ParameterError, match="was used"):
        message.decrypt_and_verify(bytes(16), bytes(16))
    tag = message.digest()
    assert message.digest() == tag
    with pytest.raises(roundel.ParameterError, match="complete"):
        message.encrypt(bytes(16))
    refused = roundel.Gcm("serpent", KEY).message(IV[:12])
    with pytest.raises(roundel.AuthenticationError):
        refused.decrypt_and_verify(bytes(16), bytes(16))
    with pytest.raises(roundel.ParameterError, match="tag"):
        refused.digest()
    with pytest.raises(roundel.ParameterError, match="whole blocks"):
        odd = roundel.Gcm("serpent", KEY).message(IV[:12])
        odd.encrypt(b"odd")
        odd.encrypt(b"odd")


def test_sectors():
    """The worked example of the Rust tests: key bytes 00 to 1f, sector 3, byte j is j."""
    data = bytes(range(256)) * 2
    for mode, keys, start in [
        ("xts", 32, "9986f2dca81ff5a9f721cbf2c527cd25"),
        ("cbc", 16, "484a33"),
        ("elephant-cbc", 32, "484a339996e56a7e849a9dfa5a6fa7d4"),
    ]:
        sectors = roundel.Sectors("aes", bytes(range(keys)), mode=mode)
        sealed = sectors.encrypt(3, data)
        if mode != "cbc":
            assert sealed.hex().startswith(start)
        assert sectors.decrypt(3, sealed) == data
        run = bytearray(data * 100)
        assert sectors.encrypt_into(3, run, run) == len(run)
        assert run[:512] == sealed
        assert sectors.encrypt(102, data) == run[-512:]
    with pytest.raises(roundel.ParameterError, match="whole sectors"):
        sectors.encrypt(0, bytes(100))
    with pytest.raises(roundel.ParameterError, match="no sector mode"):
        roundel.Sectors("aes", bytes(32), mode="lrw")
