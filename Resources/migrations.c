#include "Resources.h"

// A migration is two additions here: its bytes, and its line in the table (at the end, for good).
// A lint test compares this file with the folder.

static const unsigned char articles[] = {
#embed "migrations/001-articles.sql"
};

static const unsigned char renderings[] = {
#embed "migrations/002-renderings.sql"
};

static const unsigned char kept_writes[] = {
#embed "migrations/003-kept-writes.sql"
};

static const unsigned char epoch[] = {
#embed "migrations/004-epoch.sql"
};

static const unsigned char public_slugs[] = {
#embed "migrations/005-public-slugs.sql"
};

static const unsigned char kept_results[] = {
#embed "migrations/006-kept-results.sql"
};

static const unsigned char actors[] = {
#embed "migrations/007-actors.sql"
};

static const unsigned char publication[] = {
#embed "migrations/008-publication.sql"
};

static const unsigned char transitions[] = {
#embed "migrations/009-transitions.sql"
};

static const unsigned char webhooks[] = {
#embed "migrations/010-webhooks.sql"
};

static const unsigned char accounts[] = {
#embed "migrations/011-accounts.sql"
};

static const unsigned char key_owners[] = {
#embed "migrations/012-key-owners.sql"
};

static const unsigned char identities[] = {
#embed "migrations/013-identities.sql"
};

static const unsigned char comments[] = {
#embed "migrations/014-comments.sql"
};

static const unsigned char owners[] = {
#embed "migrations/016-owners.sql"
};

static const unsigned char comment_html[] = {
#embed "migrations/017-comment-html.sql"
};

static const unsigned char bookmark_transitions[] = {
#embed "migrations/018-bookmark-transitions.sql"
};

static const unsigned char deletions[] = {
#embed "migrations/019-deletions.sql"
};

static const unsigned char kept_texts[] = {
#embed "migrations/020-kept-texts.sql"
};

static const unsigned char comments_by_writer[] = {
#embed "migrations/021-comments-by-writer.sql"
};

static const unsigned char search[] = {
#embed "migrations/022-search.sql"
};

static const unsigned char sources[] = {
#embed "migrations/023-sources.sql"
};

static const unsigned char deleted_articles[] = {
#embed "migrations/024-deleted-articles.sql"
};

static const unsigned char import_names[] = {
#embed "migrations/025-import-names.sql"
};

static const unsigned char marks[] = {
#embed "migrations/026-marks.sql"
};

static const unsigned char removal[] = {
#embed "migrations/027-removal.sql"
};

static const unsigned char retention[] = {
#embed "migrations/028-retention.sql"
};

static const struct broadsheet_resource migrations[] = {
    {"001-articles.sql", articles, sizeof articles},
    {"002-renderings.sql", renderings, sizeof renderings},
    {"003-kept-writes.sql", kept_writes, sizeof kept_writes},
    {"004-epoch.sql", epoch, sizeof epoch},
    {"005-public-slugs.sql", public_slugs, sizeof public_slugs},
    {"006-kept-results.sql", kept_results, sizeof kept_results},
    {"007-actors.sql", actors, sizeof actors},
    {"008-publication.sql", publication, sizeof publication},
    {"009-transitions.sql", transitions, sizeof transitions},
    {"010-webhooks.sql", webhooks, sizeof webhooks},
    {"011-accounts.sql", accounts, sizeof accounts},
    {"012-key-owners.sql", key_owners, sizeof key_owners},
    {"013-identities.sql", identities, sizeof identities},
    {"014-comments.sql", comments, sizeof comments},
    {"016-owners.sql", owners, sizeof owners},
    {"017-comment-html.sql", comment_html, sizeof comment_html},
    {"018-bookmark-transitions.sql", bookmark_transitions, sizeof bookmark_transitions},
    {"019-deletions.sql", deletions, sizeof deletions},
    {"020-kept-texts.sql", kept_texts, sizeof kept_texts},
    {"021-comments-by-writer.sql", comments_by_writer, sizeof comments_by_writer},
    {"022-search.sql", search, sizeof search},
    {"023-sources.sql", sources, sizeof sources},
    {"024-deleted-articles.sql", deleted_articles, sizeof deleted_articles},
    {"025-import-names.sql", import_names, sizeof import_names},
    {"026-marks.sql", marks, sizeof marks},
    {"027-removal.sql", removal, sizeof removal},
    {"028-retention.sql", retention, sizeof retention},
};

struct broadsheet_resources broadsheet_migrations(void) {
    return (struct broadsheet_resources){migrations, sizeof migrations / sizeof *migrations};
}
