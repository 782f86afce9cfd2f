import BroadsheetKit

let arguments = CommandLine.arguments.dropFirst()  // URL KEY
let baseURL = arguments.first.flatMap { BaseURL($0) } ?? "http://localhost:8080"
let backend = BackendService(
    configuration: BackendConfiguration(baseURL: baseURL),
    auth: BackendAuth(token: arguments.last))

// The newest three.
for article in try await backend.send(FetchArticlesRequest(limit: 3)).items {
    print("\(article.slug): \(article.title)")
}

// A tag, as somebody types it: only the last question is answered.
let search = SupersedingRequests(backend)
let questions = ["w", "wri", "writing"].map { tag in
    (tag, Task { try await search.send(FetchArticlesRequest(tag: tag)).items })
}
for (tag, question) in questions {
    do {
        print("\(tag): \(try await question.value.count) found")
    } catch { print("\(tag): \(error)") }
}

// A draft, a change of nothing but its title, and back again.
let draft = try await backend.send(CreateArticleRequest(article: .init(title: "First steps")))
let edited = try await backend.send(
    UpdateArticleRequest(id: draft.id, changes: .init(title: .set("Second thoughts"))))
let restored = try await backend.send(RestoreRevisionRequest(id: edited.id, number: 1))
print("revision \(restored.revision): \(restored.title)")
