import ArticleAPI
import ArticleAccounts
import ArticleAdminAPI
import ArticleConnectors
import ArticleOperations
import ArticleResources
import ArticleServiceCore
import BroadsheetHTTP
import BroadsheetHTTPServer

/// Each request and its handler, in the order of the contract.
extension Backend {
    func bindRequests(to routes: inout Routes) {
        routes.on(FetchArticlesRequest.self, articles.list)
        routes.on(CreateArticleRequest.self, articles.create)
        routes.on(FetchArticleRequest.self, articles.fetch)
        routes.on(ReplaceArticleRequest.self, articles.replace)
        routes.on(UpdateArticleRequest.self, articles.update)
        routes.on(DeleteArticleRequest.self, articles.delete)
        routes.on(FetchRevisionsRequest.self, revisions.list)
        routes.on(FetchRevisionRequest.self, revisions.fetch)
        routes.on(RestoreRevisionRequest.self, revisions.restore)
        routes.on(FetchDeletedArticlesRequest.self, revisions.listDeleted)
        routes.on(PreviewRequest.self, preview.render)
        routes.on(FetchTagsRequest.self, tags.list)
        routes.on(FetchAuthorsRequest.self, authors.list)
        routes.on(FetchAuthorRequest.self, authors.fetch)
        routes.on(ReplaceAuthorRequest.self, authors.replace)
        routes.on(FetchChangesRequest.self, changes.list)
        routes.events(StreamChangesRequest.self, streams.open)
        routes.on(SearchArticlesRequest.self, search.list)
        routes.on(FetchCommentsRequest.self, comments.list)
        routes.on(CreateCommentRequest.self, comments.create)
        routes.on(FetchAllCommentsRequest.self, comments.listAll)
        routes.on(FetchCommentRequest.self, comments.fetch)
        routes.on(UpdateCommentRequest.self, comments.update)
        routes.on(DeleteCommentRequest.self, comments.delete)
        routes.on(FetchBookmarksRequest.self, bookmarks.list)
        routes.on(PutBookmarkRequest.self, bookmarks.put)
        routes.on(DeleteBookmarkRequest.self, bookmarks.delete)
        routes.on(SignUpRequest.self, users.create)
        routes.on(FetchUsersRequest.self, users.list)
        routes.on(FetchUserRequest.self, users.fetch)
        routes.on(UpdateUserRequest.self, users.update)
        routes.on(DeleteUserRequest.self, users.delete)
        routes.on(CreateInvitationRequest.self, users.invite)
        routes.on(SignInRequest.self, sessions.create)
        routes.on(RefreshSessionRequest.self, sessions.refresh)
        routes.on(SignOutRequest.self, sessions.signOut)
        routes.on(FetchMeRequest.self, me.fetch)
        routes.on(UpdateMeRequest.self, me.update)
        routes.on(DeleteMeRequest.self, me.delete)
        routes.on(ChangePasswordRequest.self, me.changePassword)
        routes.document(ExportAccountRequest.self, exports.export)
        routes.on(FetchSessionsRequest.self, sessions.list)
        routes.on(EndSessionRequest.self, sessions.end)
        routes.on(FetchUserSessionsRequest.self, sessions.list)
        routes.on(EndUserSessionRequest.self, sessions.end)
        routes.on(FetchAtomFeedRequest.self, feeds.atom)
        routes.on(FetchRSSFeedRequest.self, feeds.rss)
        routes.on(FetchJSONFeedRequest.self, feeds.json)
        routes.on(FetchSourcesRequest.self, sources.list)
        routes.on(CreateSourceRequest.self, sources.create)
        routes.on(FetchSourceRequest.self, sources.fetch)
        routes.on(UpdateSourceRequest.self, sources.update)
        routes.on(DeleteSourceRequest.self, sources.delete)
        routes.on(PollSourceRequest.self, sources.poll)
        routes.on(FetchDescriptionRequest.self, description.fetch)

        bindAdministration(to: &routes)
        routes.on(.get, "/livez", health.live)
        routes.on(.get, "/readyz", health.ready)
    }

    private func bindAdministration(to routes: inout Routes) {
        routes.on(FetchStateRequest.self, admin.state)
        routes.on(CheckRequest.self, admin.check)
        routes.on(BeginHistoryRequest.self, admin.beginHistory)
        routes.on(FetchKeysRequest.self, admin.listKeys)
        routes.on(CreateKeyRequest.self, admin.createKey)
        routes.on(RevokeKeyRequest.self, admin.revokeKey)
        routes.on(ImportArticlesRequest.self, admin.importArticles)
        routes.stream(ExportRequest.self, admin.export)
        routes.on(RestoreRecordsRequest.self, admin.restore)
        routes.stream(BackupRequest.self, admin.backups.backUp)
        routes.stream(DownloadBackupRequest.self, admin.backups.download)
        routes.on(FetchBackupProgressRequest.self, admin.backups.progress)
        routes.on(FetchStatisticsRequest.self, statistics.fetch)
        routes.upload(
            ImportFileRequest.self, limitBytes: FileImportService.limitBytes, imports.take)
        routes.on(VacuumRequest.self, admin.vacuum)
        routes.on(PurgeRequest.self, purges.purge)
    }

    /// The pages of people at a browser: the index, and the console with its sessions.
    func bindPages(to routes: inout Routes) {
        let index = IndexService(
            console: hasConsole ? ConsoleFiles() : nil, responses: responses, log: log)
        routes.on(.get, "/", index.root)
        guard hasConsole else { return }
        routes.on(.get, "/console", index.page)
        routes.on(.get, "/console/{hash}/{name}", index.file)
        let console = ConsoleService(store: store, access: access, sessions: sessions, log: log)
        let endpoint = BeginConsoleSessionRequest.endpoint
        routes.on(.get, endpoint.template, console.fetch)
        routes.on(
            .post, endpoint.template, body: .whole(limitBytes: endpoint.bodyLimitBytes),
            console.create)
        routes.on(.delete, endpoint.template, console.delete)
    }
}
