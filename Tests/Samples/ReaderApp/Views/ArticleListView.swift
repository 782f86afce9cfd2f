import BroadsheetKit
import SwiftUI

/// The articles, the newest first, with more as the user scrolls.
struct ArticleListView: View {
    let model: ArticleListModel
    let library: LibraryModel
    @State private var isWriting = false

    var body: some View {
        NavigationStack {
            List {
                if library.isOffline { OfflineHint() }
                if let problem = library.problem { ProblemRow(problem) }
                ForEach(model.articles) { cached in
                    NavigationLink(value: cached.id) { ArticleRow(cached) }
                        // Not the task of a row: a row that disappears must not stop a page.
                        .onAppear { Task { await model.didAppear(cached) } }
                }
                if let problem = model.problem { ProblemRow(problem, retry: model.retry) }
                if model.isLoading { ProgressView() }
            }
            .overlay {
                if model.isLoaded, model.articles.isEmpty, !model.isLoading, model.problem == nil {
                    ContentUnavailableView("No articles", systemImage: "newspaper")
                }
            }
            .refreshable { await model.refresh() }
            .navigationTitle("Articles")
            .toolbar { if library.account != nil { tools } }
            .navigationDestination(for: Article.ID.self) { ArticleView($0, in: library) }
        }
        .task { await model.start() }
        .task(id: model.query) { await model.follow() }
        .sheet(isPresented: $isWriting) { EditorView(nil, in: library) }
    }

    @ToolbarContentBuilder private var tools: some ToolbarContent {
        ToolbarItem(placement: .topBarLeading) {
            Menu("Show", systemImage: "line.3.horizontal.decrease.circle") {
                Button("Published") { Task { await model.show(.published) } }
                Button("Drafts") { Task { await model.show(.draft) } }
            }
        }
        ToolbarItem(placement: .topBarTrailing) {
            Button("New article", systemImage: "square.and.pencil") { isWriting = true }
        }
    }
}

/// A row of a list of articles.
struct ArticleRow: View {
    private let cached: CachedArticle

    init(_ cached: CachedArticle) { self.cached = cached }

    var body: some View {
        let row = ArticlePresentation(shown: cached.article)
        VStack(alignment: .leading, spacing: 4) {
            Text(row.titleText).font(.headline)
            if let excerpt = row.excerptText {
                Text(excerpt).font(.subheadline).foregroundStyle(.secondary).lineLimit(2)
            }
            Text(row.factsText).font(.caption).foregroundStyle(.secondary)
                .accessibilityLabel(row.spokenFactsText)
            if let status = cached.pending { PendingLabel(status) }
        }
        .accessibilityElement(children: .combine)
    }
}
