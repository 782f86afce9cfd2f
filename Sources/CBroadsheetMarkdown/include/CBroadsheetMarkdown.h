/// Renders Markdown with libcmark-gfm in a separate process.
///
/// The library cannot be interrupted or limited in its memory, and a fault in it would crash the
/// server. The program therefore executes itself under another name; that process renders the texts
/// sent to its descriptor 0 within the limits of each request, and ends with the connection.
#pragma once
#include <stdint.h>

/// `argv[0]` of a rendering process, which never reaches `main`. `argv[1]` has the schemes of URLs
/// that links may have, `argv[2]` those of images: in lower case, each with a space before it and
/// after it (` http https `). Other links and images become text.
#define BROADSHEET_MARKDOWN_WORKER "broadsheet-markdown"

/// Precedes the text to render.
struct broadsheet_markdown_request {
    uint32_t text_bytes;
    /// Maximum length of the HTML.
    uint32_t output_bytes;
    /// Maximum memory that the library holds at a time.
    uint32_t memory_bytes;
    /// Maximum nesting of elements.
    uint32_t depth;
    /// Maximum processor time.
    uint32_t milliseconds;
};

/// Precedes the HTML.
struct broadsheet_markdown_response {
    /// A `broadsheet_markdown_outcome`.
    uint32_t outcome;
    uint32_t html_bytes;
};

enum broadsheet_markdown_outcome {
    BROADSHEET_MARKDOWN_RENDERED,
    BROADSHEET_MARKDOWN_TOO_DEEP,
    BROADSHEET_MARKDOWN_TOO_LONG,
    /// The process ends after this outcome and after the next one.
    BROADSHEET_MARKDOWN_OUT_OF_MEMORY,
    BROADSHEET_MARKDOWN_OUT_OF_TIME,
};

/// The library's version (`cmark_version_string`).
const char *_Nonnull broadsheet_markdown_version(void);
