/// A statement of the store in PostgreSQL's form, prepared once for each connection.
///
/// The store's SQL means the same to both engines, except for these conversions: parameters are
/// `$1` instead of `?1`; an INSERT into a table whose rows are numbered returns the number; and a
/// query for any number of rows is executed with a limit first, as it is seldom read to its end.
final class PostgresQuery {
    /// The limits of the first result of a query without a limit: the rows of a page of the usual
    /// size, or of the largest one, and one more of each kind of list.
    private static let fewRows = 32
    private static let manyRows = 128

    /// The limit of the first result of a query without a limit.
    let firstRows: Int
    /// The name of the prepared statement.
    let name: String
    /// As it is prepared.
    let text: String
    /// Without the limit; `nil` if all rows are read at once.
    let unlimited: String?
    /// For each parameter, from the first to the last, true if it occurs.
    let parameters: [Bool]
    var isPrepared = false
    /// True if it only changes rows, so that its result may not be needed.
    let isWrite: Bool

    /// Tables whose rows are numbered by the database, and the column with the number.
    private static let numbered = [
        "actors": "number", "articles": "number", "bodies": "number", "changes": "sequence",
        "comments": "number", "facets": "number", "kept_writes": "number", "sources": "number",
        "users": "number",
    ]

    init(_ sql: StaticString, number: Int) {
        name = "s\(number)"
        let source = sql.description
        var text = ""
        var found: Set<Int> = []
        var isAfterMark = false
        var digits = ""
        // Invariant: the text before this character is in `text`, except for the digits of a
        // parameter that it may continue.
        for character in source {
            if isAfterMark, character.isASCII, character.isNumber {
                digits.append(character)
            } else {
                if isAfterMark, let number = Int(digits) { found.insert(number) }
                isAfterMark = character == "?"
                digits = ""
            }
            text.append(character == "?" ? "$" : character)
        }
        if isAfterMark, let number = Int(digits) { found.insert(number) }
        parameters = (0..<(found.max() ?? 0)).map { found.contains($0 + 1) }

        let words = source.split { $0 == " " || $0 == "\n" }
        if words.count > 2, words[0] == "INSERT", let column = Self.numbered[String(words[2])],
            !words.contains("RETURNING")
        {
            text += " RETURNING \(column)"
        }
        isWrite = ["INSERT", "UPDATE", "DELETE"].contains(words.first ?? "")
        let isUnlimited =
            words.first == "SELECT" && words.contains("ORDER") && !words.contains("LIMIT")
        unlimited = isUnlimited ? text : nil
        firstRows = Self.manyRows
        self.text = isUnlimited ? text + " LIMIT \(firstRows)" : text
    }

    /// A variant that first returns few rows.
    private init(ofFewRows query: PostgresQuery, unlimited: String) {
        firstRows = Self.fewRows
        name = query.name + "f"
        parameters = query.parameters
        isWrite = false
        self.unlimited = unlimited
        text = unlimited + " LIMIT \(firstRows)"
    }

    private lazy var ofFewRows = unlimited.map { PostgresQuery(ofFewRows: self, unlimited: $0) }

    /// The variant for this number of rows, of which not all may be needed.
    func expecting(_ rows: Int) -> PostgresQuery {
        rows <= Self.fewRows ? ofFewRows ?? self : self
    }
}
