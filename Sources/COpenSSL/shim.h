#pragma once
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// What these headers have as macros that Swift does not see.

/// `SSL_CTX_set_options` with what every context here wants: no renegotiation, no compression.
static inline void broadsheet_ssl_set_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

/// `SSL_CTX_set_tlsext_servername_callback`.
static inline void broadsheet_ssl_on_server_name(
    SSL_CTX *context, int (*callback)(SSL *, int *, void *)) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
}

/// Keys a MAC of SHA-256 (`EVP_MAC_CTX_set_params`). Here, as a parameter keeps its name's address.
static inline int broadsheet_mac_set_key(
    EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key, length),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(context, parameters);
}

/// `EVP_EC_gen` for P-256, `EVP_RSA_gen` for 2,048 bits.
static inline EVP_PKEY *broadsheet_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *broadsheet_generate_rsa(void) { return EVP_RSA_gen(2048); }

/// How many alternative names there are.
static inline int broadsheet_name_count(const GENERAL_NAMES *names) {
    return sk_GENERAL_NAME_num(names);
}

/// The DNS name at an index of a certificate's alternative names, as it is (RFC 5280 §4.2.1.6);
/// NULL if it is of another kind.
static inline const unsigned char *broadsheet_dns_name(
    const GENERAL_NAMES *names, int index, int *length) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    if (name == NULL || name->type != GEN_DNS) return NULL;
    *length = ASN1_STRING_length(name->d.dNSName);
    return ASN1_STRING_get0_data(name->d.dNSName);
}
