// Crypto++ (Debian: libcrypto++-dev): its mode objects; a key alone is set on the bare cipher.

#include "peer.hpp"

#include <cryptopp/cast.h>
#include <cryptopp/cryptlib.h>
#include <cryptopp/mars.h>
#include <cryptopp/modes.h>
#include <cryptopp/rc6.h>
#include <cryptopp/serpent.h>
#include <cryptopp/twofish.h>
#include <string>

namespace {

template <class Cipher> struct Key final : Peer {
    typename Cipher::Encryption cipher;

    void set_key(const uint8_t *key, size_t bytes) override { cipher.SetKey(key, bytes); }
    void run(const uint8_t *, uint8_t *, size_t) override {}
};

template <class Mode> struct Blocks final : Peer {
    Mode mode;

    void set_key(const uint8_t *key, size_t bytes) override { mode.SetKey(key, bytes); }

    void run(const uint8_t *, uint8_t *message, size_t bytes) override {
        mode.ProcessData(message, message, bytes);
    }
};

template <class Mode> struct Counter final : Peer {
    Mode mode;

    // The mode wants an IV with every key; `run` sets the one that counts.
    void set_key(const uint8_t *key, size_t bytes) override {
        const uint8_t none[16] = {};
        mode.SetKeyWithIV(key, bytes, none, sizeof none);
    }

    void run(const uint8_t *iv, uint8_t *message, size_t bytes) override {
        mode.Resynchronize(iv, 16);
        mode.ProcessData(message, message, bytes);
    }
};

template <class Cipher> Peer *peer(int what, size_t key_bytes) {
    if (Cipher::Encryption::StaticGetValidKeyLength(key_bytes) != key_bytes) return nullptr;
    switch (what) {
    case KEY: return new Key<Cipher>;
    case ECB_ENCRYPT: return new Blocks<typename CryptoPP::ECB_Mode<Cipher>::Encryption>;
    case ECB_DECRYPT: return new Blocks<typename CryptoPP::ECB_Mode<Cipher>::Decryption>;
    case CTR: return new Counter<typename CryptoPP::CTR_Mode<Cipher>::Encryption>;
    default: return nullptr;
    }
}

void *open(const char *cipher, int what, size_t key_bytes) noexcept {
    std::string name = cipher;
    if (name == "cast256") return peer<CryptoPP::CAST256>(what, key_bytes);
    if (name == "mars") return peer<CryptoPP::MARS>(what, key_bytes);
    if (name == "rc6") return peer<CryptoPP::RC6>(what, key_bytes);
    if (name == "serpent") return peer<CryptoPP::Serpent>(what, key_bytes);
    if (name == "twofish") return peer<CryptoPP::Twofish>(what, key_bytes);
    return nullptr;
}

// 870 is version 8.7.0.
const char *version() noexcept {
    static const std::string text = [] {
        int number = CryptoPP::LibraryVersion();
        return std::to_string(number / 100) + "." + std::to_string(number / 10 % 10) + "." +
               std::to_string(number % 10);
    }();
    return text.c_str();
}

} // namespace

extern "C" const shim roundel_cryptopp = {version, open, peer_set_key, peer_run, peer_close};
