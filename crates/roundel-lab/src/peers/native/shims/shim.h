/* The one interface through which ffi.rs calls every library: what each file beside this one defines. */

#ifndef ROUNDEL_SHIM_H
#define ROUNDEL_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* The numbers of `What` in ffi.rs. KEY sets keys only. */
enum what { KEY, ECB_ENCRYPT, ECB_DECRYPT, CTR };

struct shim {
    const char *(*version)(void);
    /* A cipher by roundel's name, without a key yet; null where the library has none such for keys of this length. */
    void *(*open)(const char *cipher, int what, size_t key_bytes);
    /* Keys of that length; as often as one likes. */
    void (*set_key)(void *state, const uint8_t *key, size_t bytes);
    /* Whole blocks, in place, after a key was set; CTR starts at the 16 bytes of `iv`. */
    void (*run)(void *state, const uint8_t *iv, uint8_t *message, size_t bytes);
    void (*close)(void *state);
};

#endif
