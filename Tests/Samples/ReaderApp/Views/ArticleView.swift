import BroadsheetKit
import SwiftUI

/// An article: picture, by-line, text, and what its reader can do.
struct ArticleView: View {
    @State private var model: ArticleModel
    @State private var isEditing = false
    @State private var isDeleting = false
    @Environment(\.dismiss) private var dismiss

    init(_ id: Article.ID, in library: LibraryModel) {
        _model = State(initialValue: ArticleModel(id, in: library))
    }

    var body: some View {
        ScrollView { content.padding() }
            .navigationBarTitleDisplayMode(.inline)
            .toolbar { tools }
            .refreshable { await model.load() }
            .task { await model.follow() }
            .task { await model.load() }
            .sheet(isPresented: $isEditing) { EditorView(model.article, in: model.library) }
            .confirmationDialog("Delete the article?", isPresented: $isDeleting) {
                Button("Delete", role: .destructive) {
                    Task { if await model.delete() { dismiss() } }
                }
            }
    }

    @ViewBuilder private var content: some View {
        if let article = model.article {
            LazyVStack(alignment: .leading, spacing: 12) {
                header(article)
                if let problem = model.problem { ProblemRow(problem, retry: model.load) }
                if let body = model.body {
                    ArticleBody(body)
                } else if model.isLoading {
                    ProgressView()
                }
                NavigationLink {
                    CommentsView(on: article, in: model.library)
                } label: {
                    Label("Comments", systemImage: "bubble.left.and.bubble.right")
                }
            }
        } else if let problem = model.problem {
            ProblemView(problem)
        } else if model.isLoading {
            ProgressView()
        } else {
            ContentUnavailableView("This article is gone", systemImage: "questionmark.folder")
        }
    }

    @ViewBuilder private func header(_ article: Article) -> some View {
        let shown = ArticlePresentation(shown: article)
        if let url = shown.imageURL {
            HeroPicture(url: url, spokenText: shown.spokenImageText)
        }
        Text(shown.titleText).font(.title).accessibilityAddTraits(.isHeader)
        Text(shown.factsText).font(.subheadline).foregroundStyle(.secondary)
            .accessibilityLabel(shown.spokenFactsText)
        if let status = model.cached?.pending { PendingLabel(status) }
        if model.library.isOffline { OfflineHint() }
    }

    @ToolbarContentBuilder private var tools: some ToolbarContent {
        ToolbarItemGroup(placement: .topBarTrailing) {
            if model.library.account != nil {
                Button(
                    model.isBookmarked ? "Remove bookmark" : "Bookmark",
                    systemImage: model.isBookmarked ? "bookmark.fill" : "bookmark"
                ) {
                    Task { await model.toggleBookmark() }
                }
                Button("Edit", systemImage: "pencil") { isEditing = true }
                    // Without its text, an article cannot be edited.
                    .disabled(model.body == nil)
                Button("Delete", systemImage: "trash", role: .destructive) { isDeleting = true }
            }
        }
    }
}

/// The picture at the top of an article.
private struct HeroPicture: View {
    let url: String
    let spokenText: String?

    var body: some View {
        AsyncImage(url: URL(string: url)) { image in
            image.resizable().scaledToFill()
        } placeholder: {
            Rectangle().fill(.quaternary)
        }
        .frame(maxWidth: .infinity, minHeight: 180, maxHeight: 240)
        .clipped()
        .accessibilityLabel(spokenText ?? "")
        // What has no description says nothing.
        .accessibilityHidden(spokenText == nil)
    }
}
