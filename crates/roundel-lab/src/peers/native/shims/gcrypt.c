/* libgcrypt (Debian: libgcrypt20-dev): its cipher handles. */

#include "shim.h"

#include <gcrypt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct state {
    gcry_cipher_hd_t handle;
    int what;
};

static void works(gcry_error_t error) {
    if (error) abort();
}

static void start(void) {
    gcry_check_version(NULL);
    works(gcry_control(GCRYCTL_DISABLE_SECMEM, 0));
    works(gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0));
}

static int algorithm(const char *cipher, size_t key_bytes) {
    int serpent = !strcmp(cipher, "serpent"), twofish = !strcmp(cipher, "twofish");
    switch (key_bytes) {
    case 16: return serpent ? GCRY_CIPHER_SERPENT128 : twofish ? GCRY_CIPHER_TWOFISH128 : 0;
    case 24: return serpent ? GCRY_CIPHER_SERPENT192 : 0;
    case 32: return serpent ? GCRY_CIPHER_SERPENT256 : twofish ? GCRY_CIPHER_TWOFISH : 0;
    default: return 0;
    }
}

static void *open_cipher(const char *cipher, int what, size_t key_bytes) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    int mode = what == CTR ? GCRY_CIPHER_MODE_CTR : GCRY_CIPHER_MODE_ECB;
    gcry_cipher_hd_t handle;
    if (gcry_cipher_open(&handle, algorithm(cipher, key_bytes), mode, 0)) return NULL;
    struct state *state = malloc(sizeof *state);
    if (!state) abort();
    *state = (struct state){handle, what};
    return state;
}

static void set_key(void *pointer, const uint8_t *key, size_t bytes) {
    struct state *state = pointer;
    works(gcry_cipher_setkey(state->handle, key, bytes));
}

static void run(void *pointer, const uint8_t *iv, uint8_t *message, size_t bytes) {
    struct state *state = pointer;
    if (state->what == CTR) works(gcry_cipher_setctr(state->handle, iv, 16));
    if (state->what == ECB_DECRYPT) {
        works(gcry_cipher_decrypt(state->handle, message, bytes, NULL, 0));
    } else {
        works(gcry_cipher_encrypt(state->handle, message, bytes, NULL, 0));
    }
}

static void close_cipher(void *pointer) {
    struct state *state = pointer;
    gcry_cipher_close(state->handle);
    free(state);
}

static const char *version(void) {
    return gcry_check_version(NULL);
}

const struct shim roundel_gcrypt = {version, open_cipher, set_key, run, close_cipher};
