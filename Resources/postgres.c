#include "Resources.h"

// A migration of PostgreSQL's schema is two additions here: its bytes, and its line in the table (at
// the end, for good). A lint test compares this file with the folder.

static const unsigned char baseline[] = {
#embed "postgres/022-baseline.sql"
};

static const unsigned char sources[] = {
#embed "postgres/023-sources.sql"
};

static const unsigned char deleted_articles[] = {
#embed "postgres/024-deleted-articles.sql"
};

static const unsigned char import_names[] = {
#embed "postgres/025-import-names.sql"
};

static const unsigned char marks[] = {
#embed "postgres/026-marks.sql"
};

static const unsigned char removal[] = {
#embed "postgres/027-removal.sql"
};

static const unsigned char retention[] = {
#embed "postgres/028-retention.sql"
};

static const struct broadsheet_resource migrations[] = {
    {"022-baseline.sql", baseline, sizeof baseline},
    {"023-sources.sql", sources, sizeof sources},
    {"024-deleted-articles.sql", deleted_articles, sizeof deleted_articles},
    {"025-import-names.sql", import_names, sizeof import_names},
    {"026-marks.sql", marks, sizeof marks},
    {"027-removal.sql", removal, sizeof removal},
    {"028-retention.sql", retention, sizeof retention},
};

struct broadsheet_resources broadsheet_postgres_migrations(void) {
    return (struct broadsheet_resources){migrations, sizeof migrations / sizeof *migrations};
}
