#include "Resources.h"

// A migration of PostgreSQL's schema is two additions here: its bytes, and its line in the table (at
// the end, for good). Its number is that of SQLite's. A lint test compares this file with the folder.

static const unsigned char baseline[] = {
#embed "postgres/023-baseline.sql"
};

static const unsigned char retention[] = {
#embed "postgres/027-retention.sql"
};

static const unsigned char token_use[] = {
#embed "postgres/028-token-use.sql"
};

static const struct broadsheet_resource migrations[] = {
    {"023-baseline.sql", baseline, sizeof baseline},
    {"027-retention.sql", retention, sizeof retention},
    {"028-token-use.sql", token_use, sizeof token_use},
};

struct broadsheet_resources broadsheet_postgres_migrations(void) {
    return (struct broadsheet_resources){migrations, sizeof migrations / sizeof *migrations};
}
