#include "Resources.h"

// A sample is two additions here: its bytes, and its line in the table (in the order of names).
// A lint test compares this file with the folder.

static const unsigned char backup[] = {
#embed "samples/backup.md"
};

static const unsigned char cursors_ko[] = {
#embed "samples/cursors-ko.md"
};

static const unsigned char editing_ko[] = {
#embed "samples/editing-ko.md"
};

static const unsigned char etags_ko[] = {
#embed "samples/etags-ko.md"
};

static const unsigned char etags[] = {
#embed "samples/etags.md"
};

static const unsigned char first_request_ko[] = {
#embed "samples/first-request-ko.md"
};

static const unsigned char hangul_slugs_ko[] = {
#embed "samples/hangul-slugs-ko.md"
};

static const unsigned char keys_and_roles[] = {
#embed "samples/keys-and-roles.md"
};

static const unsigned char merge_patch[] = {
#embed "samples/merge-patch.md"
};

static const unsigned char pages_and_cursors[] = {
#embed "samples/pages-and-cursors.md"
};

static const unsigned char problems[] = {
#embed "samples/problems.md"
};

static const unsigned char reading_by_id_or_slug[] = {
#embed "samples/reading-by-id-or-slug.md"
};

static const unsigned char revisions[] = {
#embed "samples/revisions.md"
};

static const unsigned char sparse_fields[] = {
#embed "samples/sparse-fields.md"
};

static const unsigned char statuses[] = {
#embed "samples/statuses.md"
};

static const unsigned char welcome[] = {
#embed "samples/welcome.md"
};

static const unsigned char writing[] = {
#embed "samples/writing.md"
};

static const struct broadsheet_resource samples[] = {
    {"backup.md", backup, sizeof backup},
    {"cursors-ko.md", cursors_ko, sizeof cursors_ko},
    {"editing-ko.md", editing_ko, sizeof editing_ko},
    {"etags-ko.md", etags_ko, sizeof etags_ko},
    {"etags.md", etags, sizeof etags},
    {"first-request-ko.md", first_request_ko, sizeof first_request_ko},
    {"hangul-slugs-ko.md", hangul_slugs_ko, sizeof hangul_slugs_ko},
    {"keys-and-roles.md", keys_and_roles, sizeof keys_and_roles},
    {"merge-patch.md", merge_patch, sizeof merge_patch},
    {"pages-and-cursors.md", pages_and_cursors, sizeof pages_and_cursors},
    {"problems.md", problems, sizeof problems},
    {"reading-by-id-or-slug.md", reading_by_id_or_slug, sizeof reading_by_id_or_slug},
    {"revisions.md", revisions, sizeof revisions},
    {"sparse-fields.md", sparse_fields, sizeof sparse_fields},
    {"statuses.md", statuses, sizeof statuses},
    {"welcome.md", welcome, sizeof welcome},
    {"writing.md", writing, sizeof writing},
};

struct broadsheet_resources broadsheet_samples(void) {
    return (struct broadsheet_resources){samples, sizeof samples / sizeof samples[0]};
}
