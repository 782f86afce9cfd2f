import ArticleAPI
import ArticleClient
import BroadsheetHTTP

// A client that was generated from the description of the API, and nothing else of the contract.
let arguments = CommandLine.arguments.dropFirst()  // URL KEY
let baseURL = arguments.first.flatMap { BaseURL($0) } ?? "http://localhost:8080"
let backend = BackendService(
    configuration: BackendConfiguration(baseURL: baseURL),
    auth: BackendAuth(token: arguments.last))

let draft = ArticleDraft(
    title: "Rye bread", body: "Flour *and* water.", tags: [.string("baking")], status: .draft)
let created = try await backend.reply(to: CreateArticleRequest(body: draft))
print("created: \(created.item.title) (\(created.status.code))")
let id = created.item.id
let seen = created.fields[.etag]

let fetched = try await backend.send(GetArticleRequest(id: created.item.slug))
print("fetched: \(fetched.article?.tags.map(\.name) ?? [])")

let list = ListArticlesRequest(limit: 5, tag: ["baking"], status: .draft)
print("listed: \(try await backend.send(list).articlePage?.items.map(\.title) ?? [])")
let sparse = ListArticlesRequest(tag: ["baking"], fields: [.id, .title])
print("titles: \(try await backend.send(sparse).partialArticlePage?.items.count ?? 0)")

let changes = ArticleChanges(title: .set("Sourdough"), summary: .clear)
let updated = try await backend.send(UpdateArticleRequest(id: id, ifMatch: seen, body: changes))
print("updated: \(updated.title), revision \(updated.revision)")

do throws(BackendError) {
    try await backend.send(UpdateArticleRequest(id: id, ifMatch: seen, body: changes))
} catch {
    print("rejected: \(error.problem?.kind.map { "\($0)" } ?? "\(error)")")
}
do throws(BackendError) {
    try await backend.send(CreateArticleRequest(body: ArticleDraft(title: "", status: .draft)))
} catch {
    print("invalid: \(error.problem?.errors.map(\.detail) ?? [])")
}

try await backend.send(DeleteArticleRequest(id: id))
do throws(BackendError) {
    _ = try await backend.send(GetArticleRequest(id: created.item.slug))
} catch {
    print("deleted: \(error.problem?.status ?? 0)")
}
