import ArticleAPI
import BroadsheetCommandLine

/// The common output of client commands: JSON, tables and pages.
extension Session {
    func showJSON(_ item: some JSONRepresentable) throws(CommandFailure) {
        try Console.print(String(decoding: item.json(), as: UTF8.self))
    }

    /// - Parameter next: the cursor of the next page.
    func show(_ table: Table, next: String?) throws(CommandFailure) {
        for line in table.lines(columns: Console.columns) { try Console.print(line) }
        reportMore(next)
    }

    func reportMore(_ next: String?) {
        if let next { Console.printStatus("more: --cursor \(next)\n") }
    }
}

/// The options of commands that show a page of a list.
enum PageOptions {
    /// - Parameter actions: those that have the option, if the command has others.
    static func limit(_ actions: String? = nil) -> Option {
        Option("limit", "N", "Items per page, 1 to 100\(suffix(actions)).", default: "20")
    }

    /// - Parameter actions: those that have the option, if the command has others.
    static func cursor(_ actions: String? = nil) -> Option {
        Option("cursor", "CURSOR", "Cursor of the page to show\(suffix(actions)).")
    }

    private static func suffix(_ actions: String?) -> String {
        actions.map { " (\($0))" } ?? ""
    }
}

extension Settings {
    /// The value of `PageOptions.limit`; `nil` for the backend's default.
    func limit() throws(CommandFailure) -> Int? {
        guard text("limit") != nil else { return nil }
        return try integer("limit", in: 1...100, default: 20)
    }
}

extension Article.Key {
    /// An id or a slug.
    init(operand text: String) {
        self = Article.ID(text).map { .id($0) } ?? .slug(text)
    }
}
