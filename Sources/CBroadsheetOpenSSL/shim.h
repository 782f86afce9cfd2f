#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
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

/// `EVP_EC_gen` for a curve such as P-256, `EVP_RSA_gen` for a number of bits.
static inline EVP_PKEY *broadsheet_generate_ec(const char *curve) { return EVP_EC_gen(curve); }
static inline EVP_PKEY *broadsheet_generate_rsa(unsigned int bits) { return EVP_RSA_gen(bits); }

/// The public key of this type with these parameters (`EVP_PKEY_fromdata`); NULL if they are invalid.
static inline EVP_PKEY *broadsheet_public_key(const char *type, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (context != NULL && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

/// The public key of P-256 at this uncompressed point of 65 bytes; NULL if it is not on the curve.
static inline EVP_PKEY *broadsheet_p256_public_key(const unsigned char *point) {
    char group[] = "P-256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65),
        OSSL_PARAM_construct_end(),
    };
    return broadsheet_public_key("EC", parameters);
}

/// The public key of RSA with this modulus and exponent, the highest byte first.
static inline EVP_PKEY *broadsheet_rsa_public_key(
    const unsigned char *modulus, int modulus_length, const unsigned char *exponent,
    int exponent_length) {
    EVP_PKEY *key = NULL;
    BIGNUM *n = BN_bin2bn(modulus, modulus_length, NULL);
    BIGNUM *e = BN_bin2bn(exponent, exponent_length, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n != NULL && e != NULL && builder != NULL
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1) {
        OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
        if (parameters != NULL) key = broadsheet_public_key("RSA", parameters);
        OSSL_PARAM_free(parameters);
    }
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return key;
}

/// Returns the number of alternative names.
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
