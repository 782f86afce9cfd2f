#include "Resources.h"

// An example is two additions here: its bytes, and its line in the table (in the order of names).
// A lint test compares this file with the folder.

static const unsigned char account_export_json[] = {
#embed "examples/AccountExport.json"
};
static const unsigned char article_bare_json[] = {
#embed "examples/Article-bare.json"
};
static const unsigned char article_json[] = {
#embed "examples/Article.json"
};
static const unsigned char article_page_counted_json[] = {
#embed "examples/ArticlePage-counted.json"
};
static const unsigned char article_page_empty_json[] = {
#embed "examples/ArticlePage-empty.json"
};
static const unsigned char article_page_json[] = {
#embed "examples/ArticlePage.json"
};
static const unsigned char author_json[] = {
#embed "examples/Author.json"
};
static const unsigned char author_page_json[] = {
#embed "examples/AuthorPage.json"
};
static const unsigned char bookmark_json[] = {
#embed "examples/Bookmark.json"
};
static const unsigned char bookmark_page_json[] = {
#embed "examples/BookmarkPage.json"
};
static const unsigned char change_page_none_json[] = {
#embed "examples/ChangePage-none.json"
};
static const unsigned char change_page_json[] = {
#embed "examples/ChangePage.json"
};
static const unsigned char change_password_request_http[] = {
#embed "examples/ChangePasswordRequest.http"
};
static const unsigned char comment_json[] = {
#embed "examples/Comment.json"
};
static const unsigned char comment_page_json[] = {
#embed "examples/CommentPage.json"
};
static const unsigned char create_article_request_http[] = {
#embed "examples/CreateArticleRequest.http"
};
static const unsigned char create_comment_request_http[] = {
#embed "examples/CreateCommentRequest.http"
};
static const unsigned char create_invitation_request_http[] = {
#embed "examples/CreateInvitationRequest.http"
};
static const unsigned char create_source_request_http[] = {
#embed "examples/CreateSourceRequest.http"
};
static const unsigned char delete_article_request_http[] = {
#embed "examples/DeleteArticleRequest.http"
};
static const unsigned char delete_bookmark_request_http[] = {
#embed "examples/DeleteBookmarkRequest.http"
};
static const unsigned char delete_comment_request_http[] = {
#embed "examples/DeleteCommentRequest.http"
};
static const unsigned char delete_me_request_http[] = {
#embed "examples/DeleteMeRequest.http"
};
static const unsigned char delete_source_request_http[] = {
#embed "examples/DeleteSourceRequest.http"
};
static const unsigned char delete_user_request_http[] = {
#embed "examples/DeleteUserRequest.http"
};
static const unsigned char deleted_article_page_json[] = {
#embed "examples/DeletedArticlePage.json"
};
static const unsigned char device_session_page_json[] = {
#embed "examples/DeviceSessionPage.json"
};
static const unsigned char end_session_request_http[] = {
#embed "examples/EndSessionRequest.http"
};
static const unsigned char end_user_session_request_http[] = {
#embed "examples/EndUserSessionRequest.http"
};
static const unsigned char export_account_request_http[] = {
#embed "examples/ExportAccountRequest.http"
};
static const unsigned char fetch_all_comments_request_http[] = {
#embed "examples/FetchAllCommentsRequest.http"
};
static const unsigned char fetch_article_request_http[] = {
#embed "examples/FetchArticleRequest.http"
};
static const unsigned char fetch_articles_request_http[] = {
#embed "examples/FetchArticlesRequest.http"
};
static const unsigned char fetch_atom_feed_request_http[] = {
#embed "examples/FetchAtomFeedRequest.http"
};
static const unsigned char fetch_author_request_http[] = {
#embed "examples/FetchAuthorRequest.http"
};
static const unsigned char fetch_authors_request_http[] = {
#embed "examples/FetchAuthorsRequest.http"
};
static const unsigned char fetch_bookmarks_request_http[] = {
#embed "examples/FetchBookmarksRequest.http"
};
static const unsigned char fetch_changes_request_http[] = {
#embed "examples/FetchChangesRequest.http"
};
static const unsigned char fetch_comment_request_http[] = {
#embed "examples/FetchCommentRequest.http"
};
static const unsigned char fetch_comments_request_http[] = {
#embed "examples/FetchCommentsRequest.http"
};
static const unsigned char fetch_deleted_articles_request_http[] = {
#embed "examples/FetchDeletedArticlesRequest.http"
};
static const unsigned char fetch_description_request_http[] = {
#embed "examples/FetchDescriptionRequest.http"
};
static const unsigned char fetch_json_feed_request_http[] = {
#embed "examples/FetchJSONFeedRequest.http"
};
static const unsigned char fetch_me_request_http[] = {
#embed "examples/FetchMeRequest.http"
};
static const unsigned char fetch_rss_feed_request_http[] = {
#embed "examples/FetchRSSFeedRequest.http"
};
static const unsigned char fetch_revision_request_http[] = {
#embed "examples/FetchRevisionRequest.http"
};
static const unsigned char fetch_revisions_request_http[] = {
#embed "examples/FetchRevisionsRequest.http"
};
static const unsigned char fetch_sessions_request_http[] = {
#embed "examples/FetchSessionsRequest.http"
};
static const unsigned char fetch_source_request_http[] = {
#embed "examples/FetchSourceRequest.http"
};
static const unsigned char fetch_sources_request_http[] = {
#embed "examples/FetchSourcesRequest.http"
};
static const unsigned char fetch_tags_request_http[] = {
#embed "examples/FetchTagsRequest.http"
};
static const unsigned char fetch_user_request_http[] = {
#embed "examples/FetchUserRequest.http"
};
static const unsigned char fetch_user_sessions_request_http[] = {
#embed "examples/FetchUserSessionsRequest.http"
};
static const unsigned char fetch_users_request_http[] = {
#embed "examples/FetchUsersRequest.http"
};
static const unsigned char invitation_json[] = {
#embed "examples/Invitation.json"
};
static const unsigned char partial_article_json[] = {
#embed "examples/PartialArticle.json"
};
static const unsigned char partial_article_page_json[] = {
#embed "examples/PartialArticlePage.json"
};
static const unsigned char partial_change_page_json[] = {
#embed "examples/PartialChangePage.json"
};
static const unsigned char partial_comment_json[] = {
#embed "examples/PartialComment.json"
};
static const unsigned char partial_comment_page_json[] = {
#embed "examples/PartialCommentPage.json"
};
static const unsigned char partial_search_page_json[] = {
#embed "examples/PartialSearchPage.json"
};
static const unsigned char poll_source_request_http[] = {
#embed "examples/PollSourceRequest.http"
};
static const unsigned char preview_json[] = {
#embed "examples/Preview.json"
};
static const unsigned char preview_request_http[] = {
#embed "examples/PreviewRequest.http"
};
static const unsigned char problem_json[] = {
#embed "examples/Problem.json"
};
static const unsigned char put_bookmark_request_http[] = {
#embed "examples/PutBookmarkRequest.http"
};
static const unsigned char refresh_session_request_http[] = {
#embed "examples/RefreshSessionRequest.http"
};
static const unsigned char replace_article_request_http[] = {
#embed "examples/ReplaceArticleRequest.http"
};
static const unsigned char replace_author_request_http[] = {
#embed "examples/ReplaceAuthorRequest.http"
};
static const unsigned char restore_revision_request_http[] = {
#embed "examples/RestoreRevisionRequest.http"
};
static const unsigned char revision_page_json[] = {
#embed "examples/RevisionPage.json"
};
static const unsigned char search_articles_request_http[] = {
#embed "examples/SearchArticlesRequest.http"
};
static const unsigned char search_page_none_json[] = {
#embed "examples/SearchPage-none.json"
};
static const unsigned char search_page_json[] = {
#embed "examples/SearchPage.json"
};
static const unsigned char sign_in_request_http[] = {
#embed "examples/SignInRequest.http"
};
static const unsigned char sign_out_request_http[] = {
#embed "examples/SignOutRequest.http"
};
static const unsigned char sign_up_request_http[] = {
#embed "examples/SignUpRequest.http"
};
static const unsigned char source_new_json[] = {
#embed "examples/Source-new.json"
};
static const unsigned char source_json[] = {
#embed "examples/Source.json"
};
static const unsigned char source_page_json[] = {
#embed "examples/SourcePage.json"
};
static const unsigned char stream_changes_request_http[] = {
#embed "examples/StreamChangesRequest.http"
};
static const unsigned char tag_usage_page_json[] = {
#embed "examples/TagUsagePage.json"
};
static const unsigned char update_article_request_http[] = {
#embed "examples/UpdateArticleRequest.http"
};
static const unsigned char update_comment_request_http[] = {
#embed "examples/UpdateCommentRequest.http"
};
static const unsigned char update_me_request_http[] = {
#embed "examples/UpdateMeRequest.http"
};
static const unsigned char update_source_request_http[] = {
#embed "examples/UpdateSourceRequest.http"
};
static const unsigned char update_user_request_http[] = {
#embed "examples/UpdateUserRequest.http"
};
static const unsigned char user_public_json[] = {
#embed "examples/User-public.json"
};
static const unsigned char user_json[] = {
#embed "examples/User.json"
};
static const unsigned char user_page_json[] = {
#embed "examples/UserPage.json"
};
static const unsigned char user_session_json[] = {
#embed "examples/UserSession.json"
};

static const struct broadsheet_resource examples[] = {
    {"AccountExport.json", account_export_json, sizeof account_export_json},
    {"Article-bare.json", article_bare_json, sizeof article_bare_json},
    {"Article.json", article_json, sizeof article_json},
    {"ArticlePage-counted.json", article_page_counted_json, sizeof article_page_counted_json},
    {"ArticlePage-empty.json", article_page_empty_json, sizeof article_page_empty_json},
    {"ArticlePage.json", article_page_json, sizeof article_page_json},
    {"Author.json", author_json, sizeof author_json},
    {"AuthorPage.json", author_page_json, sizeof author_page_json},
    {"Bookmark.json", bookmark_json, sizeof bookmark_json},
    {"BookmarkPage.json", bookmark_page_json, sizeof bookmark_page_json},
    {"ChangePage-none.json", change_page_none_json, sizeof change_page_none_json},
    {"ChangePage.json", change_page_json, sizeof change_page_json},
    {"ChangePasswordRequest.http", change_password_request_http, sizeof change_password_request_http},
    {"Comment.json", comment_json, sizeof comment_json},
    {"CommentPage.json", comment_page_json, sizeof comment_page_json},
    {"CreateArticleRequest.http", create_article_request_http, sizeof create_article_request_http},
    {"CreateCommentRequest.http", create_comment_request_http, sizeof create_comment_request_http},
    {"CreateInvitationRequest.http", create_invitation_request_http, sizeof create_invitation_request_http},
    {"CreateSourceRequest.http", create_source_request_http, sizeof create_source_request_http},
    {"DeleteArticleRequest.http", delete_article_request_http, sizeof delete_article_request_http},
    {"DeleteBookmarkRequest.http", delete_bookmark_request_http, sizeof delete_bookmark_request_http},
    {"DeleteCommentRequest.http", delete_comment_request_http, sizeof delete_comment_request_http},
    {"DeleteMeRequest.http", delete_me_request_http, sizeof delete_me_request_http},
    {"DeleteSourceRequest.http", delete_source_request_http, sizeof delete_source_request_http},
    {"DeleteUserRequest.http", delete_user_request_http, sizeof delete_user_request_http},
    {"DeletedArticlePage.json", deleted_article_page_json, sizeof deleted_article_page_json},
    {"DeviceSessionPage.json", device_session_page_json, sizeof device_session_page_json},
    {"EndSessionRequest.http", end_session_request_http, sizeof end_session_request_http},
    {"EndUserSessionRequest.http", end_user_session_request_http, sizeof end_user_session_request_http},
    {"ExportAccountRequest.http", export_account_request_http, sizeof export_account_request_http},
    {"FetchAllCommentsRequest.http", fetch_all_comments_request_http, sizeof fetch_all_comments_request_http},
    {"FetchArticleRequest.http", fetch_article_request_http, sizeof fetch_article_request_http},
    {"FetchArticlesRequest.http", fetch_articles_request_http, sizeof fetch_articles_request_http},
    {"FetchAtomFeedRequest.http", fetch_atom_feed_request_http, sizeof fetch_atom_feed_request_http},
    {"FetchAuthorRequest.http", fetch_author_request_http, sizeof fetch_author_request_http},
    {"FetchAuthorsRequest.http", fetch_authors_request_http, sizeof fetch_authors_request_http},
    {"FetchBookmarksRequest.http", fetch_bookmarks_request_http, sizeof fetch_bookmarks_request_http},
    {"FetchChangesRequest.http", fetch_changes_request_http, sizeof fetch_changes_request_http},
    {"FetchCommentRequest.http", fetch_comment_request_http, sizeof fetch_comment_request_http},
    {"FetchCommentsRequest.http", fetch_comments_request_http, sizeof fetch_comments_request_http},
    {"FetchDeletedArticlesRequest.http", fetch_deleted_articles_request_http, sizeof fetch_deleted_articles_request_http},
    {"FetchDescriptionRequest.http", fetch_description_request_http, sizeof fetch_description_request_http},
    {"FetchJSONFeedRequest.http", fetch_json_feed_request_http, sizeof fetch_json_feed_request_http},
    {"FetchMeRequest.http", fetch_me_request_http, sizeof fetch_me_request_http},
    {"FetchRSSFeedRequest.http", fetch_rss_feed_request_http, sizeof fetch_rss_feed_request_http},
    {"FetchRevisionRequest.http", fetch_revision_request_http, sizeof fetch_revision_request_http},
    {"FetchRevisionsRequest.http", fetch_revisions_request_http, sizeof fetch_revisions_request_http},
    {"FetchSessionsRequest.http", fetch_sessions_request_http, sizeof fetch_sessions_request_http},
    {"FetchSourceRequest.http", fetch_source_request_http, sizeof fetch_source_request_http},
    {"FetchSourcesRequest.http", fetch_sources_request_http, sizeof fetch_sources_request_http},
    {"FetchTagsRequest.http", fetch_tags_request_http, sizeof fetch_tags_request_http},
    {"FetchUserRequest.http", fetch_user_request_http, sizeof fetch_user_request_http},
    {"FetchUserSessionsRequest.http", fetch_user_sessions_request_http, sizeof fetch_user_sessions_request_http},
    {"FetchUsersRequest.http", fetch_users_request_http, sizeof fetch_users_request_http},
    {"Invitation.json", invitation_json, sizeof invitation_json},
    {"PartialArticle.json", partial_article_json, sizeof partial_article_json},
    {"PartialArticlePage.json", partial_article_page_json, sizeof partial_article_page_json},
    {"PartialChangePage.json", partial_change_page_json, sizeof partial_change_page_json},
    {"PartialComment.json", partial_comment_json, sizeof partial_comment_json},
    {"PartialCommentPage.json", partial_comment_page_json, sizeof partial_comment_page_json},
    {"PartialSearchPage.json", partial_search_page_json, sizeof partial_search_page_json},
    {"PollSourceRequest.http", poll_source_request_http, sizeof poll_source_request_http},
    {"Preview.json", preview_json, sizeof preview_json},
    {"PreviewRequest.http", preview_request_http, sizeof preview_request_http},
    {"Problem.json", problem_json, sizeof problem_json},
    {"PutBookmarkRequest.http", put_bookmark_request_http, sizeof put_bookmark_request_http},
    {"RefreshSessionRequest.http", refresh_session_request_http, sizeof refresh_session_request_http},
    {"ReplaceArticleRequest.http", replace_article_request_http, sizeof replace_article_request_http},
    {"ReplaceAuthorRequest.http", replace_author_request_http, sizeof replace_author_request_http},
    {"RestoreRevisionRequest.http", restore_revision_request_http, sizeof restore_revision_request_http},
    {"RevisionPage.json", revision_page_json, sizeof revision_page_json},
    {"SearchArticlesRequest.http", search_articles_request_http, sizeof search_articles_request_http},
    {"SearchPage-none.json", search_page_none_json, sizeof search_page_none_json},
    {"SearchPage.json", search_page_json, sizeof search_page_json},
    {"SignInRequest.http", sign_in_request_http, sizeof sign_in_request_http},
    {"SignOutRequest.http", sign_out_request_http, sizeof sign_out_request_http},
    {"SignUpRequest.http", sign_up_request_http, sizeof sign_up_request_http},
    {"Source-new.json", source_new_json, sizeof source_new_json},
    {"Source.json", source_json, sizeof source_json},
    {"SourcePage.json", source_page_json, sizeof source_page_json},
    {"StreamChangesRequest.http", stream_changes_request_http, sizeof stream_changes_request_http},
    {"TagUsagePage.json", tag_usage_page_json, sizeof tag_usage_page_json},
    {"UpdateArticleRequest.http", update_article_request_http, sizeof update_article_request_http},
    {"UpdateCommentRequest.http", update_comment_request_http, sizeof update_comment_request_http},
    {"UpdateMeRequest.http", update_me_request_http, sizeof update_me_request_http},
    {"UpdateSourceRequest.http", update_source_request_http, sizeof update_source_request_http},
    {"UpdateUserRequest.http", update_user_request_http, sizeof update_user_request_http},
    {"User-public.json", user_public_json, sizeof user_public_json},
    {"User.json", user_json, sizeof user_json},
    {"UserPage.json", user_page_json, sizeof user_page_json},
    {"UserSession.json", user_session_json, sizeof user_session_json},
};

struct broadsheet_resources broadsheet_examples(void) {
    return (struct broadsheet_resources){examples, sizeof examples / sizeof examples[0]};
}
