import BroadsheetKit
import BroadsheetTesting
import SwiftUI

/// One write, with the decision that it needs.
struct DecisionView: View {
    @State private var model: DecisionModel
    @Environment(\.dismiss) private var dismiss

    init(_ entry: OutboxEntry, in library: LibraryModel) {
        _model = State(initialValue: DecisionModel(entry, in: library))
    }

    var body: some View {
        Form {
            Section { PendingLabel(model.entry.status) }
            if let problem = model.problem ?? model.rejection { ProblemRow(problem) }
            if model.isConflict { conflict } else { decisions }
        }
        .navigationTitle(model.mine?.title ?? model.entry.base?.title ?? "")
    }

    /// For each overlap, a choice; where there is none, the whole article.
    @ViewBuilder private var conflict: some View {
        ForEach(model.overlaps, id: \.self) { overlap in
            Section(overlap.title) { OverlapChoice(model: model, overlap: overlap) }
        }
        Section {
            if model.overlaps.isEmpty {
                LabeledContent("Mine", value: model.mine?.title ?? "—")
                LabeledContent("Theirs", value: model.theirs?.title ?? "—")
            } else {
                button("Keep what is chosen") { await model.keepChosen() }
            }
            button("Keep mine") { await model.keepMine() }
            button("Keep theirs") { await model.keepTheirs() }
        }
    }

    @ViewBuilder private var decisions: some View {
        switch model.entry.status {
        case .needsConfirmation, .rejected:
            button("Send again") { await model.sendAgain() }
            button("Discard") { await model.discard() }
        case .waiting: button("Discard") { await model.discard() }
        case .sending, .conflict: EmptyView()
        }
    }

    private func button(
        _ title: LocalizedStringKey, _ decide: @escaping @MainActor () async -> Void
    ) -> some View {
        Button(title) {
            Task {
                await decide()
                if model.problem == nil { dismiss() }
            }
        }
    }
}

/// Both versions of one attribute or paragraph, of which one is kept, or both are.
private struct OverlapChoice: View {
    @Bindable var model: DecisionModel
    let overlap: Article.Merge.Conflict

    var body: some View {
        let texts = model.texts(of: overlap)
        LabeledContent("Mine", value: texts.mine)
        LabeledContent("Theirs", value: texts.theirs)
        Picker("Keep", selection: $model[choice: overlap]) {
            Text("Mine").tag(Article.Merge.Choice.mine)
            Text("Theirs").tag(Article.Merge.Choice.theirs)
            if overlap.canHaveBoth { Text("Both").tag(Article.Merge.Choice.both) }
        }
        .pickerStyle(.segmented)
    }
}

extension Article.Merge.Conflict {
    fileprivate var title: LocalizedStringKey {
        switch attribute {
        case "title": "Title"
        case "summary": "Summary"
        case "body": "Text"
        case "authors": "Authors"
        case "tags": "Tags"
        default: "Settings"
        }
    }

    fileprivate var canHaveBoth: Bool {
        switch self {
        case .region: true
        case .attribute(let name): name == "authors" || name == "tags"
        }
    }
}

struct DecisionPreviews: PreviewProvider {
    static var previews: some View {
        if let library = try? OfflineLibrary(.memory, on: .inMemory(.samples)) {
            DecisionView(
                .conflict(mine: .sample(title: "Mine"), theirs: .sample(title: "Theirs")),
                in: LibraryModel(library))
        }
    }
}
