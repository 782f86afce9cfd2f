import BroadsheetKit
import SwiftUI

/// An article that is being written or edited.
struct EditorView: View {
    @State private var model: EditorModel
    @Environment(\.dismiss) private var dismiss

    /// - Parameter article: with its text; `nil` for a new one.
    init(_ article: Article?, in library: LibraryModel) {
        _model = State(initialValue: EditorModel(article, in: library))
    }

    var body: some View {
        NavigationStack {
            Form {
                if let problem = model.problem { ProblemRow(problem) }
                Section {
                    TextField("Title", text: $model.title, axis: .vertical)
                    TextField("Summary", text: $model.summary, axis: .vertical)
                    TextField("Tags, with commas between them", text: $model.tags)
                    Toggle("Published", isOn: $model.isPublished)
                }
                Section("Text, in Markdown") {
                    TextEditor(text: $model.body)
                        .frame(minHeight: 240)
                        .accessibilityLabel("Text, in Markdown")
                }
            }
            .navigationTitle(model.original == nil ? "New article" : "Edit")
            .navigationBarTitleDisplayMode(.inline)
            .toolbar { tools }
        }
        .interactiveDismissDisabled(model.canSave)
    }

    @ToolbarContentBuilder private var tools: some ToolbarContent {
        ToolbarItem(placement: .cancellationAction) { Button("Cancel") { dismiss() } }
        ToolbarItemGroup(placement: .bottomBar) {
            Button("Undo", systemImage: "arrow.uturn.backward") { model.undo() }
                .disabled(!model.canUndo)
            Button("Redo", systemImage: "arrow.uturn.forward") { model.redo() }
                .disabled(!model.canRedo)
        }
        ToolbarItem(placement: .confirmationAction) {
            Button("Save") { Task { if await model.save() { dismiss() } } }
                .disabled(!model.canSave)
        }
    }
}
