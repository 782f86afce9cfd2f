#include "Resources.h"

// A page is two additions here: its bytes, and its line in the table (in the order of names).
// A lint test compares this file with the folder.

static const unsigned char accounts[] = {
#embed "manual/accounts.md"
};

static const unsigned char alerts[] = {
#embed "manual/alerts.md"
};

static const unsigned char api[] = {
#embed "manual/api.md"
};

static const unsigned char backup[] = {
#embed "manual/backup.md"
};

static const unsigned char comments[] = {
#embed "manual/comments.md"
};

static const unsigned char configuration[] = {
#embed "manual/configuration.md"
};

static const unsigned char console[] = {
#embed "manual/console.md"
};

static const unsigned char deployment[] = {
#embed "manual/deployment.md"
};

static const unsigned char doctor[] = {
#embed "manual/doctor.md"
};

static const unsigned char feeds[] = {
#embed "manual/feeds.md"
};

static const unsigned char generate[] = {
#embed "manual/generate.md"
};

static const unsigned char imports[] = {
#embed "manual/import.md"
};

static const unsigned char index_page[] = {
#embed "manual/index.md"
};

static const unsigned char logs[] = {
#embed "manual/logs.md"
};

static const unsigned char metrics[] = {
#embed "manual/metrics.md"
};

static const unsigned char nodes[] = {
#embed "manual/nodes.md"
};

static const unsigned char openapi[] = {
#embed "manual/openapi.md"
};

static const unsigned char openid[] = {
#embed "manual/openid.md"
};

static const unsigned char postgresql[] = {
#embed "manual/postgresql.md"
};

static const unsigned char purge[] = {
#embed "manual/purge.md"
};

static const unsigned char sdk[] = {
#embed "manual/sdk.md"
};

static const unsigned char search[] = {
#embed "manual/search.md"
};

static const unsigned char sources[] = {
#embed "manual/sources.md"
};

static const unsigned char sync[] = {
#embed "manual/sync.md"
};

static const unsigned char terminal[] = {
#embed "manual/terminal.md"
};

static const unsigned char tls[] = {
#embed "manual/tls.md"
};

static const unsigned char upgrade[] = {
#embed "manual/upgrade.md"
};

static const unsigned char webhooks[] = {
#embed "manual/webhooks.md"
};

static const struct broadsheet_resource manual[] = {
    {"accounts.md", accounts, sizeof accounts},
    {"alerts.md", alerts, sizeof alerts},
    {"api.md", api, sizeof api},
    {"backup.md", backup, sizeof backup},
    {"comments.md", comments, sizeof comments},
    {"configuration.md", configuration, sizeof configuration},
    {"console.md", console, sizeof console},
    {"deployment.md", deployment, sizeof deployment},
    {"doctor.md", doctor, sizeof doctor},
    {"feeds.md", feeds, sizeof feeds},
    {"generate.md", generate, sizeof generate},
    {"import.md", imports, sizeof imports},
    {"index.md", index_page, sizeof index_page},
    {"logs.md", logs, sizeof logs},
    {"metrics.md", metrics, sizeof metrics},
    {"nodes.md", nodes, sizeof nodes},
    {"openapi.md", openapi, sizeof openapi},
    {"openid.md", openid, sizeof openid},
    {"postgresql.md", postgresql, sizeof postgresql},
    {"purge.md", purge, sizeof purge},
    {"sdk.md", sdk, sizeof sdk},
    {"search.md", search, sizeof search},
    {"sources.md", sources, sizeof sources},
    {"sync.md", sync, sizeof sync},
    {"terminal.md", terminal, sizeof terminal},
    {"tls.md", tls, sizeof tls},
    {"upgrade.md", upgrade, sizeof upgrade},
    {"webhooks.md", webhooks, sizeof webhooks},
};

struct broadsheet_resources broadsheet_manual(void) {
    return (struct broadsheet_resources){manual, sizeof manual / sizeof manual[0]};
}
