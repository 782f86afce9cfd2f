#include "Resources.h"

// A migration is two additions here: its bytes, and its line in the table (at the end, for good). Its
// number is the version of the schema to which it leads, from that of the line before: a file of another
// version cannot be migrated. A lint test compares this file with the folder.

static const unsigned char articles[] = {
#embed "migrations/007-articles.sql"
};

static const unsigned char accounts[] = {
#embed "migrations/023-accounts.sql"
};

static const unsigned char retention[] = {
#embed "migrations/027-retention.sql"
};

static const unsigned char token_use[] = {
#embed "migrations/028-token-use.sql"
};

static const struct broadsheet_resource migrations[] = {
    {"007-articles.sql", articles, sizeof articles},
    {"023-accounts.sql", accounts, sizeof accounts},
    {"027-retention.sql", retention, sizeof retention},
    {"028-token-use.sql", token_use, sizeof token_use},
};

struct broadsheet_resources broadsheet_migrations(void) {
    return (struct broadsheet_resources){migrations, sizeof migrations / sizeof *migrations};
}
