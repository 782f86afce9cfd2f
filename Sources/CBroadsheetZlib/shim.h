/// zlib, whose beginning of a stream is a macro that Swift cannot see.
#pragma once
#include <stddef.h>
#include <zlib.h>

/// Begins to decode gzip (RFC 1952) with the largest window (`inflateInit2`).
static inline int czlib_begin_gunzip(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}

/// Compresses `count` bytes into at most `room` bytes of gzip (RFC 1952) in one step (`deflate`);
/// 0 if they do not fit, or memory is short.
static inline size_t czlib_gzip(
    unsigned char *output, size_t room, const unsigned char *input, size_t count, int level) {
    z_stream stream = {0};
    /* 15 bits of window; 16 more ask for gzip's header and trailer. */
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (unsigned char *)input;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)room;
    int code = count <= (uInt)-1 && room <= (uInt)-1 ? deflate(&stream, Z_FINISH) : Z_BUF_ERROR;
    size_t written = code == Z_STREAM_END ? stream.total_out : 0;
    deflateEnd(&stream);
    return written;
}
