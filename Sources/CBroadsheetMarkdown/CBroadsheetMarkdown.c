#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CBroadsheetMarkdown.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <malloc.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sysexits.h>
#include <unistd.h>

const char *broadsheet_markdown_version(void) {
    return cmark_version_string();
}

// The connection: every failure ends the process, which its owner notices. Requests may be
// pipelined; responses are flushed when no further request is available.

static char input[64 << 10];
static size_t input_start, input_end;
static char output[64 << 10];
static size_t output_bytes;

static void flush(void) {
    for (const char *next = output; output_bytes > 0;) {
        ssize_t given = write(STDIN_FILENO, next, output_bytes);
        if (given <= 0) _exit(0);
        next += given;
        output_bytes -= (size_t)given;
    }
}

static void take(void *bytes, size_t count) {
    for (char *next = bytes; count > 0;) {
        if (input_start == input_end) {
            flush();
            ssize_t taken = read(STDIN_FILENO, input, sizeof input);
            if (taken <= 0) _exit(0);
            input_start = 0;
            input_end = (size_t)taken;
        }
        size_t part = input_end - input_start < count ? input_end - input_start : count;
        memcpy(next, input + input_start, part);
        input_start += part;
        next += part;
        count -= part;
    }
}

static void give(const void *bytes, size_t count) {
    for (const char *next = bytes; count > 0;) {
        if (output_bytes == sizeof output) flush();
        size_t part = sizeof output - output_bytes < count ? sizeof output - output_bytes : count;
        memcpy(output + output_bytes, next, part);
        output_bytes += part;
        next += part;
        count -= part;
    }
}

static void respond(uint32_t outcome, const char *html, size_t count) {
    struct broadsheet_markdown_response head = {outcome, (uint32_t)count};
    give(&head, sizeof head);
    give(html, count);
}

/// Sends the last response of the process.
static _Noreturn void respond_and_end(uint32_t outcome) {
    respond(outcome, "", 0);
    flush();
    _exit(0);
}

/// Reads a request and its text, which the caller frees.
static char *take_request(struct broadsheet_markdown_request *request) {
    take(request, sizeof *request);
    char *text = malloc((size_t)request->text_bytes + 1);
    if (!text) _exit(EX_OSERR);
    take(text, request->text_bytes);
    return text;
}

// Time: the signal handler only uses `write`, `memcpy` and `_exit` (signal-safety(7)). It never
// interrupts a response, as time is limited only while a text is rendered.

static void out_of_time(int signal) {
    (void)signal;
    respond_and_end(BROADSHEET_MARKDOWN_OUT_OF_TIME);
}

/// Limits the processor time from now on; 0: unlimited.
static void allow(uint32_t milliseconds) {
    struct itimerval timer = {
        {0, 0}, {milliseconds / 1000, (suseconds_t)(milliseconds % 1000) * 1000}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

// Memory: all of the library's allocations go through here. It cannot handle failures, so the
// process ends. It makes hundreds of small blocks for a short text: they are cut from a region,
// which is reused as a whole for the next text. Only what does not fit is allocated.

struct block {
    size_t size;
    _Alignas(16) char bytes[];
};

#if __has_feature(address_sanitizer)
// The sanitizer watches only what is allocated one by one.
static _Alignas(16) char region[16];
#else
static _Alignas(16) char region[4 << 20];
#endif
static size_t used;
static size_t held;
static size_t allowed;

static bool is_in_region(const void *bytes) {
    return (uintptr_t)bytes - (uintptr_t)region < sizeof region;
}

static struct block *block_of(void *bytes) {
    return (struct block *)((char *)bytes - offsetof(struct block, bytes));
}

static bool is_last(const struct block *block) {
    return block->bytes + block->size == region + used;
}

/// A block of the region, whose bytes are not cleared; NULL if it does not fit.
static void *cut(size_t size) {
    // An empty block at the very end would not be in the region.
    if (size == 0) size = 1;
    size_t rounded = (size + 15) & ~(size_t)15;
    size_t room = sizeof region < allowed ? sizeof region : allowed;
    if (room < used + sizeof(struct block) || rounded > room - used - sizeof(struct block))
        return NULL;
    struct block *block = (struct block *)(region + used);
    block->size = rounded;
    used += sizeof *block + rounded;
    return block->bytes;
}

static _Noreturn void end_over_limit(void) {
    allow(0);
    respond_and_end(BROADSHEET_MARKDOWN_OUT_OF_MEMORY);
}

static void *counted(void *bytes) {
    // Below the limit, it is the machine that lacks memory, not the text that needs too much.
    if (!bytes) _exit(EX_OSERR);
    held += malloc_usable_size(bytes);
    if (held <= allowed && used <= allowed - held) return bytes;
    end_over_limit();
}

static void *limited_calloc(size_t count, size_t size) {
    // A request above the limit fails without an allocation.
    if (size > 0 && count > allowed / size) end_over_limit();
    void *bytes = cut(count * size);
    return bytes ? memset(bytes, 0, count * size) : counted(calloc(count, size));
}

static void *limited_realloc(void *bytes, size_t size) {
    if (size > allowed) end_over_limit();
    if (bytes && !is_in_region(bytes)) {
        held -= malloc_usable_size(bytes);
        return counted(realloc(bytes, size));
    }
    size_t kept = bytes ? block_of(bytes)->size : 0;
    if (size <= kept) return bytes;
    if (bytes && is_last(block_of(bytes))) used = (size_t)((char *)block_of(bytes) - region);
    void *moved = cut(size);
    if (!moved) moved = counted(malloc(size));
    return moved == bytes || kept == 0 ? moved : memcpy(moved, bytes, kept);
}

static void limited_free(void *bytes) {
    if (bytes && is_in_region(bytes)) {
        if (is_last(block_of(bytes))) used = (size_t)((char *)block_of(bytes) - region);
        return;
    }
    held -= bytes ? malloc_usable_size(bytes) : 0;
    free(bytes);
}

static cmark_mem memory = {limited_calloc, limited_realloc, limited_free};

/// Returns true if elements are nested deeper than allowed. Walks the tree in order: `depth` is
/// that of `node`.
static bool is_too_deep(cmark_node *root, uint32_t limit) {
    uint32_t depth = 0;
    cmark_node *node = root;
    while (node) {
        cmark_node *child = cmark_node_first_child(node);
        if (child) {
            if (++depth > limit) return true;
            node = child;
            continue;
        }
        while (node && !cmark_node_next(node)) {
            node = cmark_node_parent(node);
            depth -= node != NULL;
        }
        node = node ? cmark_node_next(node) : NULL;
    }
    return false;
}

// Links: cmark leaves out those of schemes that it knows to be dangerous, but there are many, above
// all on phones, which hand unknown ones to other apps. So only listed ones remain.

/// The allowed schemes, each with a space before and after it, in lower case.
static const char *link_schemes, *image_schemes;

/// Returns true if the target of a link or an image is relative, or has an allowed scheme.
static bool is_allowed(cmark_node *node) {
    const char *url = cmark_node_get_url(node);
    size_t length = url ? strcspn(url, ":/?#") : 0;
    if (!url || url[length] != ':') return true;
    bool is_image = cmark_node_get_type(node) == CMARK_NODE_IMAGE;
    for (const char *next = is_image ? image_schemes : link_schemes; *next == ' ';) {
        const char *scheme = next + 1;
        size_t listed = strcspn(scheme, " ");
        if (listed > 0 && listed == length && strncasecmp(scheme, url, length) == 0) return true;
        next = scheme + listed;
    }
    return false;
}

/// Replaces links that are not allowed by their texts, and images by their descriptions.
static void remove_links(cmark_node *document) {
    cmark_iter *iterator = cmark_iter_new(document);
    for (cmark_event_type event; (event = cmark_iter_next(iterator)) != CMARK_EVENT_DONE;) {
        cmark_node *node = cmark_iter_get_node(iterator);
        cmark_node_type type = cmark_node_get_type(node);
        if (event != CMARK_EVENT_EXIT || (type != CMARK_NODE_LINK && type != CMARK_NODE_IMAGE)
            || is_allowed(node))
            continue;
        // The iterator is past the node and what it contains.
        for (cmark_node *child; (child = cmark_node_first_child(node));)
            if (!cmark_node_insert_before(node, child)) cmark_node_free(child);
        cmark_node_free(node);
    }
    cmark_iter_free(iterator);
}

static void render(const char *text, const struct broadsheet_markdown_request *request) {
    // Without CMARK_OPT_UNSAFE, raw HTML is omitted.
    cmark_parser *parser = cmark_parser_new_with_mem(CMARK_OPT_DEFAULT, &memory);
    const char *extensions[] = {"table", "strikethrough", "autolink", "tasklist"};
    for (size_t index = 0; index < sizeof extensions / sizeof *extensions; index++) {
        cmark_syntax_extension *extension = cmark_find_syntax_extension(extensions[index]);
        if (extension) cmark_parser_attach_syntax_extension(parser, extension);
    }
    cmark_parser_feed(parser, text, request->text_bytes);
    cmark_node *document = cmark_parser_finish(parser);
    char *html = NULL;
    size_t count = 0;
    uint32_t outcome = BROADSHEET_MARKDOWN_TOO_DEEP;
    if (!is_too_deep(document, request->depth)) {
        remove_links(document);
        html = cmark_render_html_with_mem(
            document, CMARK_OPT_DEFAULT, cmark_parser_get_syntax_extensions(parser), &memory);
        count = strlen(html);
        outcome = count > request->output_bytes ? BROADSHEET_MARKDOWN_TOO_LONG
                                                : BROADSHEET_MARKDOWN_RENDERED;
    }
    allow(0);
    respond(outcome, html, outcome == BROADSHEET_MARKDOWN_RENDERED ? count : 0);
    if (held > 0) {
        limited_free(html);
        cmark_node_free(document);
        cmark_parser_free(parser);
    }
    used = 0;
}

// Privileges: if a text compromises the library, it finds nothing to work with.

/// The system calls needed for rendering, and those of the C library's allocator, of its `qsort`
/// (which asks for the size of the memory to sort many references) and of sanitizer runtimes.
static const int needed_calls[] = {
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(brk), SCMP_SYS(mmap),
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(sysinfo), SCMP_SYS(setitimer),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack), SCMP_SYS(futex),
    SCMP_SYS(sched_yield), SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(clock_gettime),
    SCMP_SYS(exit), SCMP_SYS(exit_group)};

/// Lets every other system call end the process from now on (seccomp_load(3)); false if it fails.
static bool allow_needed_calls_only(void) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter) return false;
    bool is_made = true;
    for (size_t index = 0; index < sizeof needed_calls / sizeof *needed_calls; index++)
        is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, needed_calls[index], 0) == 0;
    is_made = is_made && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return is_made;
}

/// Drops what rendering does not need: descriptors other than the connection, core files, creating
/// files and processes, new privileges (prctl(2)), and system calls. If something cannot be
/// dropped, the process ends.
static void drop_privileges(void) {
    close_range(STDOUT_FILENO, ~0U, 0);
    const struct rlimit none = {0, 0};
    const int limited[] = {RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC};
    for (size_t index = 0; index < sizeof limited / sizeof *limited; index++)
        if (setrlimit((__rlimit_resource_t)limited[index], &none) != 0) _exit(1);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || !allow_needed_calls_only())
        _exit(1);
}

/// Lets faults end the process by their own signals, which its owner reports. Handlers that a
/// runtime has installed would make system calls, which end it by another one.
static void handle_no_faults(void) {
    const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    for (size_t index = 0; index < sizeof faults / sizeof *faults; index++)
        signal(faults[index], SIG_DFL);
}

/// Renders until the connection ends, in a process started for that purpose. It runs before `main`,
/// so that every program with this module can be used.
__attribute__((constructor)) static void become_worker(int count, char **arguments) {
    if (count != 3 || strcmp(arguments[0], BROADSHEET_MARKDOWN_WORKER) != 0) return;
    link_schemes = arguments[1];
    image_schemes = arguments[2];
    signal(SIGPROF, out_of_time);
    handle_no_faults();
    cmark_gfm_core_extensions_ensure_registered();
    drop_privileges();
    for (;;) {
        struct broadsheet_markdown_request request;
        char *text = take_request(&request);
        allowed = request.memory_bytes;
        allow(request.milliseconds);
        render(text, &request);
        free(text);
        // Memory for a large text is not kept for the small ones that follow.
        if (request.text_bytes > 1 << 16) malloc_trim(0);
    }
}
