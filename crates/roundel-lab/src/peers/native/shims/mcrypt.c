/* libmcrypt (Debian: libmcrypt-dev): the ciphers that no other library has, in its ECB mode. Its LOKI97 is left out: it does not
   compute the submission's vectors, in no order of bytes and words. */

#include "shim.h"

#include <mcrypt.h>
#include <stdlib.h>
#include <string.h>

struct state {
    MCRYPT module;
    int decrypts;
};

static char *algorithm(const char *cipher) {
    if (!strcmp(cipher, "rijndael-block192")) return "rijndael-192";
    if (!strcmp(cipher, "rijndael-block256")) return "rijndael-256";
    return NULL;
}

/* It loads and unloads modules behind each key, so that the time of a key alone says nothing of the cipher. */
static void *open_cipher(const char *cipher, int what, size_t key_bytes) {
    char *name = algorithm(cipher);
    if (!name || what == CTR || what == KEY || key_bytes > 32) return NULL;
    MCRYPT module = mcrypt_module_open(name, NULL, "ecb", NULL);
    if (module == MCRYPT_FAILED) return NULL;
    struct state *state = malloc(sizeof *state);
    if (!state) abort();
    *state = (struct state){module, what == ECB_DECRYPT};
    return state;
}

static void set_key(void *pointer, const uint8_t *key, size_t bytes) {
    struct state *state = pointer;
    uint8_t copy[32];
    memcpy(copy, key, bytes);
    if (mcrypt_generic_init(state->module, copy, (int)bytes, NULL) < 0) abort();
}

static void run(void *pointer, const uint8_t *iv, uint8_t *message, size_t bytes) {
    struct state *state = pointer;
    (void)iv;
    int error = state->decrypts ? mdecrypt_generic(state->module, message, (int)bytes)
                                : mcrypt_generic(state->module, message, (int)bytes);
    if (error) abort();
}

static void close_cipher(void *pointer) {
    struct state *state = pointer;
    mcrypt_generic_end(state->module);
    free(state);
}

static const char *version(void) {
    return LIBMCRYPT_VERSION;
}

const struct shim roundel_mcrypt = {version, open_cipher, set_key, run, close_cipher};
