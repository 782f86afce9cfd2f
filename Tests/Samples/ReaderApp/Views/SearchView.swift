import BroadsheetKit
import SwiftUI

/// A search while its user types.
struct SearchView: View {
    @Bindable var model: SearchModel
    let library: LibraryModel

    var body: some View {
        NavigationStack {
            List {
                if model.isEmpty { recent } else { results }
            }
            .searchable(text: $model.text, prompt: "Words, \"phrases\", -without")
            .onSubmit(of: .search) { Task { await model.submit() } }
            .navigationTitle("Search")
            .navigationDestination(for: Article.ID.self) { ArticleView($0, in: library) }
        }
        .task { await model.follow() }
        .task(id: model.text) { await model.search() }
    }

    @ViewBuilder private var recent: some View {
        if !model.recent.isEmpty {
            Section("Recent searches") {
                ForEach(model.recent, id: \.self) { query in
                    Button(query) { model.text = query }
                }
                Button("Clear", role: .destructive) { Task { await model.forgetRecent() } }
            }
        }
    }

    @ViewBuilder private var results: some View {
        if model.isOffline { OfflineHint() }
        if let problem = model.problem { ProblemRow(problem, retry: model.search) }
        if let corrected = model.found.correctedTo {
            Text("Nothing was found. Results for: \(corrected)").font(.footnote)
        }
        ForEach(model.found.items) { hit in
            NavigationLink(value: hit.id) { SearchRow(hit) }
        }
    }
}

/// An article that was found, with its matches in bold.
private struct SearchRow: View {
    private let row: ArticlePresentation

    init(_ hit: SearchHit<Article>) { row = ArticlePresentation(shown: hit) }

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            Text(Self.marked(row.titlePieces)).font(.headline)
            Text(Self.marked(row.excerptPieces)).font(.subheadline).lineLimit(3)
            Text(row.factsText).font(.caption).foregroundStyle(.secondary)
                .accessibilityLabel(row.spokenFactsText)
        }
        .accessibilityElement(children: .combine)
    }

    private static func marked(_ pieces: [SearchPiece]) -> AttributedString {
        pieces.reduce(AttributedString()) { text, piece in
            var next = AttributedString(piece.text)
            if piece.isMatch { next.inlinePresentationIntent = .stronglyEmphasized }
            return text + next
        }
    }
}
