/* libtomcrypt (Debian: libtomcrypt-dev): block by block, as its ECB mode runs a cipher. */

#include "shim.h"

#include <stdlib.h>
#include <string.h>
#include <tomcrypt.h>

struct state {
    const struct ltc_cipher_descriptor *cipher;
    int decrypts;
    /* libtomcrypt's SAFER+ takes the bytes in the order of the designers' paper, roundel's in that of NIST's strings: the reverse. */
    int reversed;
    symmetric_key schedule;
};

static void works(int error) {
    if (error != CRYPT_OK) abort();
}

static void reverse(uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[count - 1 - i];
        bytes[count - 1 - i] = byte;
    }
}

static const struct ltc_cipher_descriptor *descriptor(const char *cipher) {
    if (!strcmp(cipher, "rc6")) return &rc6_desc;
    if (!strcmp(cipher, "safer-plus")) return &saferp_desc;
    if (!strcmp(cipher, "twofish")) return &twofish_desc;
    return NULL;
}

static void *open_cipher(const char *name, int what, size_t key_bytes) {
    const struct ltc_cipher_descriptor *cipher = descriptor(name);
    int bytes = (int)key_bytes;
    if (!cipher || what == CTR || cipher->keysize(&bytes) != CRYPT_OK || (size_t)bytes != key_bytes) return NULL;
    struct state *state = calloc(1, sizeof *state);
    if (!state) abort();
    state->cipher = cipher;
    state->decrypts = what == ECB_DECRYPT;
    state->reversed = cipher == &saferp_desc;
    return state;
}

static void set_key(void *pointer, const uint8_t *key, size_t bytes) {
    struct state *state = pointer;
    uint8_t ordered[MAXBLOCKSIZE];
    memcpy(ordered, key, bytes);
    if (state->reversed) reverse(ordered, bytes);
    works(state->cipher->setup(ordered, (int)bytes, 0, &state->schedule));
}

static void run(void *pointer, const uint8_t *iv, uint8_t *message, size_t bytes) {
    struct state *state = pointer;
    (void)iv;
    for (; bytes; message += 16, bytes -= 16) {
        if (state->reversed) reverse(message, 16);
        if (state->decrypts) {
            works(state->cipher->ecb_decrypt(message, message, &state->schedule));
        } else {
            works(state->cipher->ecb_encrypt(message, message, &state->schedule));
        }
        if (state->reversed) reverse(message, 16);
    }
}

static void close_cipher(void *pointer) {
    free(pointer);
}

/* The headers': the library does not tell its own. */
static const char *version(void) {
    return SCRYPT;
}

const struct shim roundel_tomcrypt = {version, open_cipher, set_key, run, close_cipher};
