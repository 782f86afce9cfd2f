import BroadsheetKit
import SwiftUI

/// The discussion of an article, with a field to take part in it.
struct CommentsView: View {
    @State private var model: CommentsModel
    private let isClosed: Bool

    init(on article: Article, in library: LibraryModel) {
        _model = State(initialValue: CommentsModel(on: article.id, in: library))
        isClosed = article.comments == .closed
    }

    var body: some View {
        List {
            if let problem = model.readingProblem { ProblemRow(problem, retry: model.refresh) }
            ForEach(model.comments) { cached in
                CommentRow(cached: cached, model: model)
                    .onAppear { Task { await model.didAppear(cached) } }
            }
            if model.isLoading { ProgressView() }
        }
        .navigationTitle("Comments")
        .refreshable { await model.refresh() }
        .task { await model.follow() }
        .task { await model.refresh() }
        .safeAreaInset(edge: .bottom) { if !isClosed { CommentField(model: model) } }
    }
}

private struct CommentRow: View {
    let cached: CachedComment
    let model: CommentsModel

    var body: some View {
        let row = CommentPresentation(shown: cached.comment)
        VStack(alignment: .leading, spacing: 4) {
            VStack(alignment: .leading, spacing: 4) {
                Text([row.authorText, row.dateText].compactMap(\.self).joined(separator: " · "))
                    .font(.caption).foregroundStyle(.secondary)
                Text(row.text)
                if cached.pending == nil, let note = row.noteText {
                    Text(note).font(.caption).foregroundStyle(.secondary)
                }
            }
            .accessibilityElement(children: .ignore)
            .accessibilityLabel(row.accessibilityLabel)
            if let status = cached.pending {
                PendingLabel(status)
                if case .rejected(let problem) = status {
                    decision(ErrorText(problem, for: .comment))
                }
            }
        }
        .padding(.leading, row.isReply ? 24 : 0)
        .swipeActions {
            if model.canWrite, cached.pending == nil {
                Button("Reply", systemImage: "arrowshape.turn.up.left") {
                    model.parent = cached.comment
                }
            }
        }
    }

    @ViewBuilder private func decision(_ text: ErrorText) -> some View {
        Text(verbatim: "\(text.message) \(text.advice)").font(.caption)
        HStack {
            Button("Send again") { Task { await model.sendAgain(cached) } }
            Button("Discard", role: .destructive) { Task { await model.discard(cached) } }
        }
        .buttonStyle(.bordered)
    }
}

private struct CommentField: View {
    @Bindable var model: CommentsModel

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            if let problem = model.writingProblem { ProblemRow(problem) }
            if let parent = model.parent {
                HStack {
                    Text("Reply to \(parent.author?.displayName ?? "")").font(.caption)
                    Button("Cancel", systemImage: "xmark") { model.parent = nil }
                        .labelStyle(.iconOnly)
                }
            }
            if model.canWrite {
                HStack {
                    TextField("Comment", text: $model.text, axis: .vertical)
                        .lineLimit(1...5)
                        .textFieldStyle(.roundedBorder)
                    Button("Send", systemImage: "paperplane") { Task { await model.send() } }
                        .labelStyle(.iconOnly)
                        .disabled(!model.canSend)
                }
            } else {
                Text("Sign in to comment.").font(.footnote).foregroundStyle(.secondary)
            }
        }
        .padding()
        .background(.bar)
    }
}
