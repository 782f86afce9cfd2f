#include "Resources.h"

// A file is two additions here: its bytes, and its line in the table (in the order of names).
// A lint test compares this file with the folder.

static const unsigned char index_html[] = {
#embed "console/index.html"
};

static const unsigned char main_css[] = {
#embed "console/main.css"
};

static const unsigned char main_js[] = {
#embed "console/main.js"
};

static const struct broadsheet_resource console[] = {
    {"index.html", index_html, sizeof index_html},
    {"main.css", main_css, sizeof main_css},
    {"main.js", main_js, sizeof main_js},
};

struct broadsheet_resources broadsheet_console(void) {
    return (struct broadsheet_resources){console, sizeof console / sizeof console[0]};
}
