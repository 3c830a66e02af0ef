// Botan 2 (Debian: libbotan-2-dev): block ciphers' own runs of blocks, and its CTR over them.

#include "peer.hpp"

#include <botan/block_cipher.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>
#include <memory>
#include <string>

namespace {

struct Blocks final : Peer {
    std::unique_ptr<Botan::BlockCipher> cipher;
    bool encrypts;

    Blocks(std::unique_ptr<Botan::BlockCipher> cipher, bool encrypts)
        : cipher(std::move(cipher)), encrypts(encrypts) {}

    void set_key(const uint8_t *key, size_t bytes) override { cipher->set_key(key, bytes); }

    void run(const uint8_t *, uint8_t *message, size_t bytes) override {
        size_t blocks = bytes / cipher->block_size();
        if (encrypts) {
            cipher->encrypt_n(message, message, blocks);
        } else {
            cipher->decrypt_n(message, message, blocks);
        }
    }
};

struct Counter final : Peer {
    std::unique_ptr<Botan::StreamCipher> cipher;

    explicit Counter(std::unique_ptr<Botan::StreamCipher> cipher) : cipher(std::move(cipher)) {}

    void set_key(const uint8_t *key, size_t bytes) override { cipher->set_key(key, bytes); }

    void run(const uint8_t *iv, uint8_t *message, size_t bytes) override {
        cipher->set_iv(iv, 16);
        cipher->cipher1(message, bytes);
    }
};

std::string botan_name(const std::string &cipher) {
    if (cipher == "cast256") return "CAST-256";
    if (cipher == "serpent") return "Serpent";
    if (cipher == "twofish") return "Twofish";
    return "";
}

void *open(const char *cipher, int what, size_t key_bytes) noexcept {
    std::string name = botan_name(cipher);
    if (name.empty()) return nullptr;
    auto block_cipher = Botan::BlockCipher::create(name);
    if (!block_cipher || !block_cipher->valid_keylength(key_bytes)) return nullptr;
    if (what != CTR) return static_cast<Peer *>(new Blocks(std::move(block_cipher), what != ECB_DECRYPT));
    auto counter = Botan::StreamCipher::create("CTR-BE(" + name + ")");
    return counter ? static_cast<Peer *>(new Counter(std::move(counter))) : nullptr;
}

const char *version() noexcept {
    return Botan::short_version_cstr();
}

} // namespace

extern "C" const shim roundel_botan = {version, open, peer_set_key, peer_run, peer_close};
