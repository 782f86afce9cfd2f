/// The members that a file declares for others, and the words that can be uses of such members.
///
/// It reads words and braces, not types: a declaration belongs to a type if the braces around it
/// are those of types, and a use is a word after a dot or before a parenthesis.
struct Members {
    /// Functions, properties and cases of types, and global ones, that other files see.
    private(set) var declared: Set<String> = []
    /// Those that they do not see.
    private(set) var hidden: Set<String> = []
    /// The words after dots.
    private(set) var qualified: Set<String> = []
    /// Those that are called, and others that are no variables, parameters or labels of the file.
    var used: Set<String> { methods.union(qualified.union(calls).subtracting(locals)) }

    private enum Scope { case type, hiddenType, code }

    /// The declaration that the next word makes.
    private enum Expectation { case nothing, member, enumCase }

    private var scopes: [Scope] = []
    private var expectation = Expectation.nothing
    /// That of the next brace.
    private var nextScope = Scope.code
    /// True if the declaration, which does not begin on an earlier line, is private.
    private var isHidden = false
    /// True if a comma outside of parentheses is followed by one more case.
    private var isInCases = false
    private var parentheses = 0
    private var lastWord = ""
    /// The byte before the word, except for blanks.
    private var before = UInt8(ascii: " ")
    /// The names called after a dot, and without one.
    private var methods: Set<String> = []
    private var calls: Set<String> = []
    /// Variables of functions, and labels.
    private var locals: Set<String> = []

    init(_ code: [String]) {
        for line in code { read(line) }
    }

    private mutating func read(_ line: String) {
        isHidden = false
        expectation = isInCases && expectation == .enumCase ? .enumCase : .nothing
        before = UInt8(ascii: " ")
        let bytes = line.utf8
        var index = bytes.startIndex
        // Invariant: everything before the index is read.
        while index < bytes.endIndex {
            let rest = bytes[index...]
            let end = rest.firstIndex { !Self.isWord($0) } ?? bytes.endIndex
            if end == index {
                read(bytes[index])
                index = bytes.index(after: index)
                continue
            }
            let next = bytes[end...].first { $0 != UInt8(ascii: " ") }
            let word = String(line[index..<end])
            read(word: word, before: next)
            lastWord = word
            before = UInt8(ascii: " ")
            index = end
        }
    }

    private static let types: Set = ["struct", "class", "enum", "protocol", "actor", "extension"]

    private static func isCapital(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private mutating func read(word: String, before next: UInt8?) {
        if before == UInt8(ascii: ".") {
            qualified.insert(word)
            if next == UInt8(ascii: "(") { methods.insert(word) }
            return
        }
        switch word {
        case "func", "var", "let":
            expectation = .member
            nextScope = .code
            isInCases = false
        case "init", "subscript", "deinit":
            nextScope = .code
            isInCases = false
        case "case" where scopes.last != .code:
            expectation = .enumCase
            isInCases = true
        // These can be names; those of types begin with a capital letter.
        case _ where Self.types.contains(word) && next.map(Self.isCapital) == true:
            nextScope = isHidden ? .hiddenType : .type
            isInCases = false
        case "in": locals.insert(lastWord)
        case "private", "fileprivate": isHidden = isHidden || next != UInt8(ascii: "(")
        case _ where expectation != .nothing:
            declare(word)
            expectation = .nothing
        default:
            if next == UInt8(ascii: "(") || next == UInt8(ascii: "{") { calls.insert(word) }
            if next == UInt8(ascii: ":") || next == UInt8(ascii: ",") { locals.insert(word) }
        }
    }

    private mutating func declare(_ word: String) {
        if scopes.last == .code {
            locals.insert(word)
        } else if isHidden || scopes.contains(.hiddenType) {
            hidden.insert(word)
        } else {
            declared.insert(word)
        }
    }

    private mutating func read(_ byte: UInt8) {
        if byte == UInt8(ascii: " ") { return }
        before = byte
        switch byte {
        case UInt8(ascii: "("): parentheses += 1
        case UInt8(ascii: ")"): parentheses -= 1
        case UInt8(ascii: ",") where isInCases && parentheses == 0: expectation = .enumCase
        case UInt8(ascii: "{"):
            scopes.append(nextScope)
            nextScope = .code
            isInCases = false
        case UInt8(ascii: "}"):
            _ = scopes.popLast()
            isInCases = false
        default: break
        }
    }
}
