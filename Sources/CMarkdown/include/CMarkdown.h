/// Markdown by libcmark-gfm, in a process of its own.
///
/// The library can neither be stopped nor told how much memory it may take, and a fault in it would
/// take the server along. So the program starts itself once more under another name; that process
/// renders what it is sent on descriptor 0, within the bounds that each request sets, and ends with
/// the connection.
#pragma once
#include <stdint.h>

/// `argv[0]` of a process that renders: it never comes to `main`.
#define BROADSHEET_MARKDOWN_WORKER "broadsheet-markdown"

/// Stands before the text that is to be rendered.
struct broadsheet_markdown_request {
    uint32_t text_bytes;
    /// Of the HTML.
    uint32_t output_bytes;
    /// Of everything that the library holds at a time.
    uint32_t memory_bytes;
    /// Of elements in one another.
    uint32_t depth;
    /// Of the processor's time.
    uint32_t milliseconds;
};

/// Stands before the HTML.
struct broadsheet_markdown_answer {
    /// A `broadsheet_markdown_outcome`.
    uint32_t outcome;
    uint32_t html_bytes;
};

enum broadsheet_markdown_outcome {
    BROADSHEET_MARKDOWN_RENDERED,
    BROADSHEET_MARKDOWN_TOO_DEEP,
    BROADSHEET_MARKDOWN_TOO_LONG,
    /// The process ends with this answer, and with the next one.
    BROADSHEET_MARKDOWN_OUT_OF_MEMORY,
    BROADSHEET_MARKDOWN_OUT_OF_TIME,
};

/// The library's version (`cmark_version_string`).
const char *_Nonnull broadsheet_markdown_version(void);
