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

static const unsigned char feeds[] = {
#embed "manual/feeds.md"
};

static const unsigned char generate[] = {
#embed "manual/generate.md"
};

static const unsigned char metrics[] = {
#embed "manual/metrics.md"
};

static const unsigned char openapi[] = {
#embed "manual/openapi.md"
};

static const unsigned char openid[] = {
#embed "manual/openid.md"
};

static const unsigned char operations[] = {
#embed "manual/operations.md"
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

static const unsigned char tls[] = {
#embed "manual/tls.md"
};

static const unsigned char webhooks[] = {
#embed "manual/webhooks.md"
};

static const struct broadsheet_resource manual[] = {
    {"accounts.md", accounts, sizeof accounts},
    {"alerts.md", alerts, sizeof alerts},
    {"api.md", api, sizeof api},
    {"comments.md", comments, sizeof comments},
    {"configuration.md", configuration, sizeof configuration},
    {"console.md", console, sizeof console},
    {"deployment.md", deployment, sizeof deployment},
    {"feeds.md", feeds, sizeof feeds},
    {"generate.md", generate, sizeof generate},
    {"metrics.md", metrics, sizeof metrics},
    {"openapi.md", openapi, sizeof openapi},
    {"openid.md", openid, sizeof openid},
    {"operations.md", operations, sizeof operations},
    {"sdk.md", sdk, sizeof sdk},
    {"search.md", search, sizeof search},
    {"sources.md", sources, sizeof sources},
    {"sync.md", sync, sizeof sync},
    {"tls.md", tls, sizeof tls},
    {"webhooks.md", webhooks, sizeof webhooks},
};

struct broadsheet_resources broadsheet_manual(void) {
    return (struct broadsheet_resources){manual, sizeof manual / sizeof manual[0]};
}
