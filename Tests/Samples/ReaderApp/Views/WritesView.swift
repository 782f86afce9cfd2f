import BroadsheetKit
import SwiftUI

/// Everything that was written and is not done, with the decisions that wait for the user.
struct WritesView: View {
    let library: LibraryModel

    var body: some View {
        NavigationStack {
            List(library.writes) { entry in
                NavigationLink {
                    DecisionView(entry, in: library)
                } label: {
                    VStack(alignment: .leading, spacing: 4) {
                        Text(entry.base?.title ?? entry.newTitle ?? "").font(.headline)
                        WriteKind(write: entry.write).font(.subheadline)
                        PendingLabel(entry.status)
                    }
                    .accessibilityElement(children: .combine)
                }
            }
            .overlay {
                if library.writes.isEmpty {
                    ContentUnavailableView("Everything is sent", systemImage: "checkmark.circle")
                }
            }
            .navigationTitle("Outbox")
        }
    }
}

private struct WriteKind: View {
    let write: PendingWrite

    var body: some View {
        switch write {
        case .create: Text("New article")
        case .update: Text("Edit")
        case .delete: Text("Delete")
        case .request: Text("Comment or bookmark")
        }
    }
}

extension OutboxEntry {
    fileprivate var newTitle: String? {
        if case .create(let draft) = write { draft.title } else { nil }
    }
}
