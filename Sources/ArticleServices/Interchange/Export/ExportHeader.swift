import ArticleAPI

/// What the first line of a file says of the rest, if it is an export's.
enum ExportHeader: Sendable, Hashable {
    case known
    /// Of another format or of a newer version: why it cannot be read.
    case unknown(String)

    static let format = "broadsheet-export"
    static let version = 1

    /// The line, with its line feed.
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

    /// `nil` for any line that is no object with a `format`, which no article has.
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
            ? .known
            : .unknown(
                "the export has version \(number), this broadsheet reads up to \(Self.version)")
    }
}
