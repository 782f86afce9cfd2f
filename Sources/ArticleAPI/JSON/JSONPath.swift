/// A place in a JSON document.
public struct JSONPath: Sendable, Hashable, CustomStringConvertible {
    /// One step from a value to one inside it.
    public enum Step: Sendable, Hashable {
        case name(String)
        case index(Int)
    }

    public var steps: [Step]

    public init(_ steps: [Step] = []) { self.steps = steps }

    /// The path from the root: `$.items[3].author.name`; other names are in brackets: `$["a b"]`.
    public var description: String {
        steps.reduce(into: "$") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .name(let name) where Self.isPlain(name): text += ".\(name)"
            case .name(let name):
                var writer = JSONWriter()
                writer.string(name)
                text += "[\(String(decoding: writer.bytes, as: UTF8.self))]"
            }
        }
    }

    /// The JSON pointer (RFC 6901): `/items/3/author/name`; empty for the root.
    public var pointer: String {
        steps.reduce(into: "") { text, step in
            text += "/"
            switch step {
            case .index(let index): text += String(index)
            case .name(let name):
                for character in name.unicodeScalars {
                    switch character {
                    case "~": text += "~0"
                    case "/": text += "~1"
                    default: text.unicodeScalars.append(character)
                    }
                }
            }
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.enumerated().allSatisfy { index, byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "_"):
                    true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
                default: false
                }
            }
    }
}
