import ArticleAPI

/// The format of a file according to its first line, if it is an export.
enum ExportHeader: Sendable, Hashable {
    case known(version: Int)
    /// Another format or a newer version; the reason why it cannot be read.
    case unknown(String)

    static let format = "broadsheet-export"
    /// Version 1 has the names of editors instead of actors.
    static let version = 2

    /// The line including its line feed.
    static var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("format")
            writer.string(format)
            writer.name("version")
            writer.integer(version)
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// `nil` unless the line is an object with a `format`, which no article has.
    init?(_ line: LineReader.Line) {
        guard let value = try? line.json().value, case .object(let members) = value,
            let format = members.first(where: { $0.name == "format" })?.value
        else { return nil }
        guard format == .string(Self.format) else {
            self = .unknown("$.format is not \"\(Self.format)\"")
            return
        }
        let version = members.first { $0.name == "version" }?.value
        guard case .number(let number)? = version, let number = number.integer, number > 0 else {
            self = .unknown("$.version is not a version of an export")
            return
        }
        self =
            number <= Self.version
            ? .known(version: Int(number))
            : .unknown(
                "the export has version \(number); broadsheet supports up to \(Self.version)")
    }
}
