import BroadsheetHTTP

/// A text as HTML without the parts that not all could read at its source.
///
/// Comments mark such parts: the blocks of Ghost and WordPress, Ghost's cards for newsletters, and
/// lines after which a text continues for members. A part that is not closed ends with the text.
/// Shortcodes and fields that restrict make a draft of the whole post instead (`Restriction`).
struct UnrestrictedHTML: Sendable {
    private(set) var html = ""
    /// Number of parts that were left out.
    private(set) var leftOut = 0

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var position = 0
        var hidden: (kind: String, depth: Int)?
        // Invariant: `kept` has the unrestricted ones of the bytes before `position`. `hidden` is
        // the kind of the part around it that is not, with the number of parts of this kind.
        reading: while let comment = HTMLComment(in: bytes, from: position) {
            if hidden == nil { kept += bytes[position..<comment.start] }
            position = comment.end
            switch (RestrictionMark(comment.text), hidden) {
            case (.start(let kind, let isRestricted), nil) where isRestricted:
                hidden = (kind, 1)
                leftOut += 1
            case (.start(let kind, _), (let current, let depth)?) where kind == current:
                hidden = (current, depth + 1)
            case (.end(let kind), (let current, let depth)?) where kind == current:
                hidden = depth == 1 ? nil : (current, depth - 1)
            case (.restIsRestricted, nil):
                leftOut += 1
                position = bytes.count
                break reading
            default:
                if hidden == nil { kept += bytes[comment.start..<comment.end] }
            }
        }
        if hidden == nil { kept += bytes[position...] }
        // The texts around a part that was left out meet there.
        html = String(decoding: kept, as: UTF8.self).streamSafe
    }
}

/// A comment in HTML.
private struct HTMLComment {
    let start: Int
    package let end: Int
    /// The text of the comment, without spaces around it.
    let text: Substring

    /// The first complete one from a position on.
    init?(in bytes: [UInt8], from position: Int) {
        guard let start = Self.find("<!--", in: bytes, from: position),
            let close = Self.find("-->", in: bytes, from: start + 4)
        else { return nil }
        self.start = start
        end = close + 3
        text = String(decoding: bytes[(start + 4)..<close], as: UTF8.self)[...].trimmingSpaces
    }

    private static func find(_ mark: StaticString, in bytes: [UInt8], from position: Int) -> Int? {
        mark.withUTF8Buffer { mark in
            var place = position
            // Invariant: the mark is not found between `position` and `place`.
            while place + mark.count <= bytes.count {
                if bytes[place] == mark[0], bytes[place...].starts(with: mark) { return place }
                place += 1
            }
            return nil
        }
    }
}

/// The meaning of a comment for the readers of the text after it.
private enum RestrictionMark {
    case start(kind: String, isRestricted: Bool)
    case end(kind: String)
    case restIsRestricted
    case none

    init(_ comment: Substring) {
        let words = comment.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        guard let first = words.first else {
            self = .none
            return
        }
        let rest = words.count > 1 ? words[1] : ""
        switch first {
        case "kg-gated-block:begin":
            let rule = rest.filter { !$0.isWhitespace }
            self = .start(
                kind: "kg-gated-block", isRestricted: !rule.contains(bytesOf: "nonMember:true"))
        case "kg-gated-block:end": self = .end(kind: "kg-gated-block")
        case "kg-card-begin:":
            self = .start(kind: "kg-card", isRestricted: rest.hasPrefix("email"))
        case "kg-card-end:": self = .end(kind: "kg-card")
        case _ where first.hasPrefix("wp:"): self.init(block: String(first.dropFirst(3)), rest)
        case _ where first.hasPrefix("/wp:"): self = .end(kind: String(first.dropFirst(4)))
        default:
            self = rest.isEmpty && Restriction.isName(first) ? .restIsRestricted : .none
        }
    }

    /// A block of WordPress, with its attributes as JSON.
    private init(block name: String, _ attributes: Substring) {
        // The blocks of a plugin that is called so are for everybody.
        let isNamed = !name.hasPrefix("premium/") && Restriction.isName(name)
        let isRestricted = isNamed || Restriction.areAttributes(attributes)
        if !attributes.hasSuffix("/") {
            self = .start(kind: name, isRestricted: isRestricted)
        } else {
            self = name.contains(bytesOf: "paywall") ? .restIsRestricted : .none
        }
    }
}

/// Names by which plugins of WordPress and themes restrict who reads something.
enum Restriction {
    private static let words = [
        "restrict", "member", "subscriber", "paywall", "premium", "private", "protect",
        "loggedin", "password", "locker", "unlock", "paid", "patron", "patreon", "exclusive",
        "hide", "hidden", "visitor", "guest", "contentlock", "contentcontrol", "passster", "ppwp",
        "mycredsell",
    ]
    /// The beginnings of names of certain plugins, and whole names.
    private static let beginnings = [
        "ihc", "mepr", "pmpro", "wlm_", "s2if", "s2member", "rcp", "um_", "wpmem", "pms", "swpm",
        "armif", "arm_", "mm_", "groups_", "userrole", "ifuser", "access_", "accesscontrol",
    ]
    private static let names: Set = ["access", "role", "level", "vip", "lock", "login", "reply"]
    /// Parts of the names of fields that plugins keep beside a post.
    private static let fields = [
        "restrict", "member", "subscriber", "paywall", "protect", "newsletter_access", "_is_paid",
        "rcp_", "wpmem_block", "groups-read", "patreon", "ihc_mb", "arm_access", "premium",
    ]
    /// Values of such fields that do not restrict.
    private static let open: Set = [
        "", "0", "no", "none", "false", "off", "all", "everybody", "everyone", "public", "default",
        "a:0:{}",
    ]

    /// Returns true if a shortcode, a block or a comment with this name restricts something.
    static func isName(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        if names.contains(name) || beginnings.contains(where: name.hasPrefix) { return true }
        let joined = name.filter { $0 != "-" && $0 != "_" }
        if beginnings.contains(where: joined.hasPrefix) { return true }
        return contains(words, joined)
    }

    /// Returns true if attributes of any block mean that only some users see it.
    static func areAttributes(_ json: some StringProtocol) -> Bool {
        let joined = json.lowercased().filter { !"-_ \t\r\n".contains($0) }
        return ["loggedin", "\"userrole", "\"blockvisibility\":false", "\"hideblock\":true"]
            .contains { joined.contains($0) }
    }

    /// Returns true if a field of a post means that not all read it.
    static func isField(_ name: String, _ value: String) -> Bool {
        let name = name.lowercased()
        return contains(fields, name) && !name.contains(bytesOf: "public")
            && !open.contains(value.lowercased())
    }

    /// The first shortcode in a text, or the end of one, that restricts something.
    static func shortcode(in text: String) -> String? {
        let bytes = Array(text.utf8)
        var position = 0
        // Invariant: no shortcode before `position` restricts anything.
        while let open = bytes[position...].firstIndex(of: UInt8(ascii: "[")) {
            position = open + 1
            let isEnd = position < bytes.count && bytes[position] == UInt8(ascii: "/")
            let name = bytes[(isEnd ? position + 1 : position)...].prefix(60).prefix { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || byte == 0x5F || byte == 0x2D || byte >= 0x80
            }
            let text = String(decoding: name, as: UTF8.self)
            // The meaning of the end of a shortcode in another script is not known.
            if !text.isEmpty, isName(text) || isEnd && name.contains(where: { $0 >= 0x80 }) {
                return text
            }
        }
        return nil
    }

    /// A team's members are shown to everybody.
    private static func contains(_ words: [String], _ name: String) -> Bool {
        words.contains {
            name.contains(bytesOf: $0) && !($0 == "member" && name.contains(bytesOf: "team"))
        }
    }
}
