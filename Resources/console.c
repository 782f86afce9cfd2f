#include "Resources.h"

// A file is two additions here: its bytes, and its line in the table (in the order of names).
// A lint test compares this file with the folder.

static const unsigned char account_js[] = {
#embed "console/account.js"
};

static const unsigned char activity_js[] = {
#embed "console/activity.js"
};

static const unsigned char api_js[] = {
#embed "console/api.js"
};

static const unsigned char article_edit_js[] = {
#embed "console/article-edit.js"
};

static const unsigned char bulk_js[] = {
#embed "console/bulk.js"
};

static const unsigned char chips_js[] = {
#embed "console/chips.js"
};

static const unsigned char comments_js[] = {
#embed "console/comments.js"
};

static const unsigned char conflict_js[] = {
#embed "console/conflict.js"
};

static const unsigned char deleted_js[] = {
#embed "console/deleted.js"
};

static const unsigned char details_js[] = {
#embed "console/details.js"
};

static const unsigned char dom_js[] = {
#embed "console/dom.js"
};

static const unsigned char drafts_js[] = {
#embed "console/drafts.js"
};

static const unsigned char due_js[] = {
#embed "console/due.js"
};

static const unsigned char editor_state_js[] = {
#embed "console/editor-state.js"
};

static const unsigned char editor_js[] = {
#embed "console/editor.js"
};

static const unsigned char edits_js[] = {
#embed "console/edits.js"
};

static const unsigned char en_operate_js[] = {
#embed "console/en-operate.js"
};
static const unsigned char en_js[] = {
#embed "console/en.js"
};

static const unsigned char events_js[] = {
#embed "console/events.js"
};

static const unsigned char here_js[] = {
#embed "console/here.js"
};

static const unsigned char history_js[] = {
#embed "console/history.js"
};

static const unsigned char i18n_js[] = {
#embed "console/i18n.js"
};

static const unsigned char icon_svg[] = {
#embed "console/icon.svg"
};

static const unsigned char index_html[] = {
#embed "console/index.html"
};

static const unsigned char keys_js[] = {
#embed "console/keys.js"
};

static const unsigned char known_js[] = {
#embed "console/known.js"
};

static const unsigned char ko_operate_js[] = {
#embed "console/ko-operate.js"
};
static const unsigned char ko_js[] = {
#embed "console/ko.js"
};

static const unsigned char list_js[] = {
#embed "console/list.js"
};

static const unsigned char live_js[] = {
#embed "console/live.js"
};

static const unsigned char main_css[] = {
#embed "console/main.css"
};

static const unsigned char main_js[] = {
#embed "console/main.js"
};

static const unsigned char marks_js[] = {
#embed "console/marks.js"
};

static const unsigned char menu_js[] = {
#embed "console/menu.js"
};

static const unsigned char plots_js[] = {
#embed "console/plots.js"
};

static const unsigned char preferences_js[] = {
#embed "console/preferences.js"
};

static const unsigned char preview_css[] = {
#embed "console/preview.css"
};

static const unsigned char preview_js[] = {
#embed "console/preview.js"
};

static const unsigned char publish_js[] = {
#embed "console/publish.js"
};

static const unsigned char revisions_js[] = {
#embed "console/revisions.js"
};

static const unsigned char routes_js[] = {
#embed "console/routes.js"
};

static const unsigned char saving_js[] = {
#embed "console/saving.js"
};

static const unsigned char search_js[] = {
#embed "console/search.js"
};

static const unsigned char sign_in_js[] = {
#embed "console/sign-in.js"
};

static const unsigned char sources_js[] = {
#embed "console/sources.js"
};
static const unsigned char status_js[] = {
#embed "console/status.js"
};

static const unsigned char transfer_js[] = {
#embed "console/transfer.js"
};

static const unsigned char users_js[] = {
#embed "console/users.js"
};

static const unsigned char words_js[] = {
#embed "console/words.js"
};

static const unsigned char zones_js[] = {
#embed "console/zones.js"
};

static const struct broadsheet_resource console[] = {
    {"account.js", account_js, sizeof account_js},
    {"activity.js", activity_js, sizeof activity_js},
    {"api.js", api_js, sizeof api_js},
    {"article-edit.js", article_edit_js, sizeof article_edit_js},
    {"bulk.js", bulk_js, sizeof bulk_js},
    {"chips.js", chips_js, sizeof chips_js},
    {"comments.js", comments_js, sizeof comments_js},
    {"conflict.js", conflict_js, sizeof conflict_js},
    {"deleted.js", deleted_js, sizeof deleted_js},
    {"details.js", details_js, sizeof details_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"drafts.js", drafts_js, sizeof drafts_js},
    {"due.js", due_js, sizeof due_js},
    {"editor-state.js", editor_state_js, sizeof editor_state_js},
    {"editor.js", editor_js, sizeof editor_js},
    {"edits.js", edits_js, sizeof edits_js},
    {"en-operate.js", en_operate_js, sizeof en_operate_js},
    {"en.js", en_js, sizeof en_js},
    {"events.js", events_js, sizeof events_js},
    {"here.js", here_js, sizeof here_js},
    {"history.js", history_js, sizeof history_js},
    {"i18n.js", i18n_js, sizeof i18n_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"keys.js", keys_js, sizeof keys_js},
    {"known.js", known_js, sizeof known_js},
    {"ko-operate.js", ko_operate_js, sizeof ko_operate_js},
    {"ko.js", ko_js, sizeof ko_js},
    {"list.js", list_js, sizeof list_js},
    {"live.js", live_js, sizeof live_js},
    {"main.css", main_css, sizeof main_css},
    {"main.js", main_js, sizeof main_js},
    {"marks.js", marks_js, sizeof marks_js},
    {"menu.js", menu_js, sizeof menu_js},
    {"plots.js", plots_js, sizeof plots_js},
    {"preferences.js", preferences_js, sizeof preferences_js},
    {"preview.css", preview_css, sizeof preview_css},
    {"preview.js", preview_js, sizeof preview_js},
    {"publish.js", publish_js, sizeof publish_js},
    {"revisions.js", revisions_js, sizeof revisions_js},
    {"routes.js", routes_js, sizeof routes_js},
    {"saving.js", saving_js, sizeof saving_js},
    {"search.js", search_js, sizeof search_js},
    {"sign-in.js", sign_in_js, sizeof sign_in_js},
    {"sources.js", sources_js, sizeof sources_js},
    {"status.js", status_js, sizeof status_js},
    {"transfer.js", transfer_js, sizeof transfer_js},
    {"users.js", users_js, sizeof users_js},
    {"words.js", words_js, sizeof words_js},
    {"zones.js", zones_js, sizeof zones_js},
};

struct broadsheet_resources broadsheet_console(void) {
    return (struct broadsheet_resources){console, sizeof console / sizeof console[0]};
}
