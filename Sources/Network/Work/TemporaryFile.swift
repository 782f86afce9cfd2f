import Glibc

/// A new file that only its owner can read, under a name that nobody else has. Closing and
/// removing it is up to who made it.
public struct TemporaryFile: Sendable {
    public let descriptor: Int32
    public let path: String

    /// Makes `PREFIX.RANDOM`, and an ending behind that (`mkstemps(3)`).
    public init(_ prefix: String, ending: String = "") throws(SystemError) {
        var template = Array("\(prefix).XXXXXX\(ending)".utf8CString)
        descriptor = try retrying("mkstemps") { mkstemps(&template, Int32(ending.utf8.count)) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
