// What the shims of C++ libraries have in common: a peer is an object, and no exception leaves it.

#ifndef ROUNDEL_PEER_HPP
#define ROUNDEL_PEER_HPP

extern "C" {
#include "shim.h"
}

struct Peer {
    virtual ~Peer() = default;
    virtual void set_key(const uint8_t *key, size_t bytes) = 0;
    virtual void run(const uint8_t *iv, uint8_t *message, size_t bytes) = 0;
};

inline void peer_set_key(void *state, const uint8_t *key, size_t bytes) noexcept {
    static_cast<Peer *>(state)->set_key(key, bytes);
}

inline void peer_run(void *state, const uint8_t *iv, uint8_t *message, size_t bytes) noexcept {
    static_cast<Peer *>(state)->run(iv, message, bytes);
}

inline void peer_close(void *state) noexcept {
    delete static_cast<Peer *>(state);
}

#endif
