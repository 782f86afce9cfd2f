/// One line or paragraph of Markdown, whose marks are left out. See ``PlainText``.
struct InlineText {
    private let source: [UInt8]
    private let line: Range<Int>
    private var index: Int
    /// The indices of `[` that no `]` has closed yet.
    private var brackets: [Int] = []
    /// Lengths of backtick runs that close no code in this line.
    private var unclosed: Set<Int> = []
    /// True if the text may have NULs.
    private var mayHaveErased = false
    /// No parenthesis closes a link's target before it.
    private var targetLimit = 0
    /// No angle bracket closes a tag before it.
    private var tagLimit = 0
    private let isTable: Bool
    /// True if descriptions of pictures are left out.
    private let omitsPictures: Bool

    private static let limitTarget = 2_000

    init(_ source: [UInt8], _ line: Range<Int>, omitsPictures: Bool = false) {
        self.source = source
        self.line = line
        self.omitsPictures = omitsPictures
        index = line.lowerBound
        isTable = source[line].first == UInt8(ascii: "|")
    }

    /// Appends the text; call it once.
    mutating func read(into text: inout [UInt8]) {
        let start = text.count
        let isMark = Self.isMark
        // Invariant: the bytes of the line before `index` are read.
        while index < line.upperBound {
            let end = source.withUnsafeBufferPointer { source in
                var end = index
                while end < line.upperBound, !isMark[Int(source[end])] { end += 1 }
                text.append(contentsOf: UnsafeBufferPointer(rebasing: source[index..<end]))
                return end
            }
            index = end
            if index < line.upperBound { readMark(source[index], &text) }
        }
        if mayHaveErased { removeErased(&text, from: start) }
    }

    /// For each byte, true if `readMark` may not simply copy it.
    private static let isMark: [Bool] = (0...255).map { "`*_~|\\[]<&\0".utf8.contains($0) }

    private mutating func readMark(_ byte: UInt8, _ text: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "`"): readCode(&text)
        case UInt8(ascii: "*"), UInt8(ascii: "_"): readEmphasis(byte, &text)
        case UInt8(ascii: "~") where at(1) == byte: index += 2
        case UInt8(ascii: "|") where isTable: replace(1, by: UInt8(ascii: " "), &text)
        case UInt8(ascii: "\\") where at(1).map(Self.isPunctuation) == true:
            text.append(source[index + 1])
            index += 2
        case UInt8(ascii: "["):
            brackets.append(text.count)
            replace(1, by: byte, &text)
        case UInt8(ascii: "]"): closeBracket(&text)
        case UInt8(ascii: "<"): readAngle(&text)
        case UInt8(ascii: "&"): readReference(&text)
        case 0: replace(1, by: UInt8(ascii: " "), &text)
        default: replace(1, by: byte, &text)
        }
    }

    /// The byte so far ahead in the line.
    private func at(_ offset: Int) -> UInt8? {
        index + offset < line.upperBound ? source[index + offset] : nil
    }

    private mutating func replace(_ count: Int, by byte: UInt8, _ text: inout [UInt8]) {
        text.append(byte)
        index += count
    }

    /// Copies code as it is, or omits backticks that enclose none.
    private mutating func readCode(_ text: inout [UInt8]) {
        let length = source[index..<line.upperBound].prefix { $0 == UInt8(ascii: "`") }.count
        let start = index + length
        index = start
        guard length <= 8, !unclosed.contains(length) else { return }
        var run = 0
        for place in start..<line.upperBound {
            if source[place] == UInt8(ascii: "`") {
                run += 1
                let isEnd = place + 1 == line.upperBound || source[place + 1] != source[place]
                if run == length, isEnd {
                    text += source[start...place - length]
                    mayHaveErased = true
                    index = place + 1
                    return
                }
            } else {
                run = 0
            }
        }
        unclosed.insert(length)
    }

    /// Omits a mark of emphasis; keeps a sign between spaces, and an underscore within a word.
    private mutating func readEmphasis(_ byte: UInt8, _ text: inout [UInt8]) {
        let before = index > line.lowerBound ? source[index - 1] : 0x20
        let after = at(1) ?? 0x20
        let isApart = PlainText.isSpace(before) && PlainText.isSpace(after)
        let isWithin = byte == UInt8(ascii: "_") && Self.isWord(before) && Self.isWord(after)
        if isApart || isWithin { text.append(byte) }
        index += 1
    }

    /// Omits the brackets and the target of a link or an image; keeps other brackets.
    private mutating func closeBracket(_ text: inout [UInt8]) {
        let open = brackets.popLast()
        guard let open, let end = targetEnd() else {
            return replace(1, by: UInt8(ascii: "]"), &text)
        }
        mayHaveErased = true
        text[open] = 0
        if open > 0, text[open - 1] == UInt8(ascii: "!") {
            text[open - 1] = 0
            if omitsPictures { text.removeSubrange(open...) }
        }
        index = end
    }

    /// The end of the `(target)` or `[label]` behind the bracket at `index`.
    private mutating func targetEnd() -> Int? {
        guard let first = at(1), first == UInt8(ascii: "(") || first == UInt8(ascii: "["),
            index >= targetLimit
        else { return nil }
        let close: UInt8 = first == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "]")
        let limit = min(line.upperBound, index + Self.limitTarget)
        var depth = 0
        for place in index + 1..<limit {
            if source[place] == first { depth += 1 }
            if source[place] == close { depth -= 1 }
            if depth == 0 { return place + 1 }
        }
        targetLimit = limit
        return nil
    }

    /// Omits a tag, and the brackets around an address.
    private mutating func readAngle(_ text: inout [UInt8]) {
        let isTag = at(1).map { Self.isLetter($0) || $0 == UInt8(ascii: "/") || $0 == 0x21 }
        guard isTag == true, index >= tagLimit else {
            return replace(1, by: UInt8(ascii: "<"), &text)
        }
        let limit = min(line.upperBound, index + Self.limitTarget)
        guard let end = source[index..<limit].firstIndex(of: UInt8(ascii: ">")) else {
            tagLimit = limit
            return replace(1, by: UInt8(ascii: "<"), &text)
        }
        let content = source[index + 1..<end]
        let isAddress =
            !content.contains(0x20)
            && (content.contains(UInt8(ascii: ":")) || content.contains(UInt8(ascii: "@")))
        if isAddress {
            text += content
            mayHaveErased = true
        } else {
            text.append(UInt8(ascii: " "))
        }
        index = end + 1
    }

    private mutating func readReference(_ text: inout [UInt8]) {
        let reference = CharacterReference(source[index..<line.upperBound])
        text += UTF8.encode(reference?.scalar ?? "&")!
        index += reference?.length ?? 1
    }

    /// Removes the NULs that replaced erased bytes, and the source's own in code and addresses;
    /// elsewhere, these became spaces.
    private func removeErased(_ text: inout [UInt8], from start: Int) {
        guard var end = text[start...].firstIndex(of: 0) else { return }
        for place in end..<text.count where text[place] != 0 {
            text[end] = text[place]
            end += 1
        }
        text.removeSubrange(end...)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || isLetter(byte) || byte &- UInt8(ascii: "0") < 10
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !isWord(byte)
    }
}
