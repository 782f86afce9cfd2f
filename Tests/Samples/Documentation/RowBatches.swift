import BroadsheetKit

/// A list whose user deletes, pins and edits rows: each change is a few batches for its view.
struct EditableRows {
    typealias Rows = Snapshot<ArticleSection, Article>

    private(set) var rows: Rows

    mutating func delete(_ id: Article.ID) -> [Rows.Batch] {
        change { $0.remove(id) }
    }

    mutating func pin(_ id: Article.ID) -> [Rows.Batch] {
        change { $0.move(id, to: .init(section: 0, item: 0)) }
    }

    mutating func show(_ edited: Article) -> [Rows.Batch] {
        change { $0.update(edited) }
    }

    private mutating func change<Result>(_ edit: (inout Rows) -> Result) -> [Rows.Batch] {
        let old = rows
        _ = edit(&rows)
        return rows.batches(from: old)
    }
}
