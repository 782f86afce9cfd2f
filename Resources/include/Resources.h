/// Files that the binary carries, each as it stands in the tree (C23 §6.10.4, `#embed`).
#pragma once
#include <stddef.h>

/// One file: its name without a folder, and its bytes (not NUL-terminated; alive forever).
struct broadsheet_resource {
    const char *_Nonnull name;
    const unsigned char *_Nonnull bytes;
    size_t size;
};

/// All files of one folder, in the order of their names.
struct broadsheet_resources {
    const struct broadsheet_resource *_Nullable first;
    size_t count;
};

/// The articles of `samples/`: Markdown with YAML front matter.
struct broadsheet_resources broadsheet_samples(void);

/// The pages of `manual/`: Markdown.
struct broadsheet_resources broadsheet_manual(void);

/// The page of `console/` with its styles and scripts.
struct broadsheet_resources broadsheet_console(void);

/// The requests and responses of `examples/`: the golden files of the contract's tests.
struct broadsheet_resources broadsheet_examples(void);

/// The steps of `migrations/`: SQL, applied in this order, never changed once released.
struct broadsheet_resources broadsheet_migrations(void);

/// The steps of `postgres/`: the same for PostgreSQL.
struct broadsheet_resources broadsheet_postgres_migrations(void);
