import CBroadsheetXML

/// Makes the markup of a document well-formed where that needs no guess about its structure, piece
/// by piece, for `XMLRepair`. It expects UTF-8 of characters that XML allows.
///
/// - An ampersand that begins no reference, and a `<` that begins no markup, are text, as is a
///   reference to an entity that the document declares. HTML's names of characters are replaced.
/// - The declarations of a DOCTYPE are left out, as is everything before the XML declaration,
///   before the root element and after it.
/// - Attributes may have no quotes, no value, or no space between them; of repeated ones, the first
///   counts.
/// - The end tag of the root element may be missing.
struct XMLMarkupRepair {
    private(set) var document = XMLRepairedDocument()
    private let limitTagBytes: Int
    private var state = State.text()
    /// Incomplete markup, and the line of its beginning.
    private var token: [UInt8] = []
    private var tokenLine = 1
    private var line = 1
    private var references = XMLReferences()
    private var declarations = XMLDoctypeRepair()

    /// The construct being read, until its end is known.
    private enum State {
        /// With the number of brackets before it.
        case text(brackets: Int = 0)
        case reference
        /// `<` and the bytes that decide which markup it begins.
        case opening
        case tag(Value)
        case endTag
        case declaration
        case comment(dashes: Int)
        case section(brackets: Int)
        case instruction(isEnding: Bool)
        case doctype(quote: UInt8?)
        case declarations
    }

    /// The position within the attributes of a start tag.
    private enum Value {
        case none, expected
        case quoted(UInt8)
    }

    init(limitTagBytes: Int) { self.limitTagBytes = limitTagBytes }

    mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        read(bytes[...])
        return document.release(atEnd: false)
    }

    mutating func finish() -> [UInt8] {
        if document.failure == nil { end() }
        return document.release(atEnd: true)
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>) {
        var index = bytes.startIndex
        // Invariant: bytes[..<index] are in the document or in `token`, or are left out.
        while index < bytes.endIndex, document.failure == nil {
            switch state {
            case .text(let brackets): index = readText(bytes[index...], brackets)
            case .comment(let dashes): index = readComment(bytes[index...], dashes)
            case .section(let brackets): index = readSection(bytes[index...], brackets)
            default:
                let byte = bytes[index]
                if take(byte) {
                    if byte == 0x0A { line += 1 }
                    index += 1
                }
            }
        }
    }

    /// - Returns: True if the byte belongs to the construct being read; otherwise, another one
    ///   begins.
    private mutating func take(_ byte: UInt8) -> Bool {
        switch state {
        case .text, .comment, .section: return false
        case .reference: return takeOfReference(byte)
        case .opening: return takeOfOpening(byte)
        case .tag(let value): return takeOfTag(byte, value)
        case .endTag: return takeOfEndTag(byte)
        case .declaration: takeOfDeclaration(byte)
        case .doctype(let quote): takeOfDoctype(byte, quote)
        case .instruction(let isEnding):
            state = .instruction(isEnding: byte == UInt8(ascii: "?"))
            if byte == UInt8(ascii: ">"), isEnding { state = .text() }
            document.write(byte)
        case .declarations:
            if declarations.take(byte) {
                references.declared = declarations.names
                state = .doctype(quote: nil)
            }
            // The lines that follow keep their numbers.
            if byte == 0x0A { document.write(byte) }
        }
        return true
    }

    // MARK: Text

    private mutating func readText(_ bytes: ArraySlice<UInt8>, _ brackets: Int) -> Int {
        var brackets = brackets
        var index = bytes.startIndex
        let firstLine = line
        // Invariant: bytes[..<index] is text, and `brackets` of `]` precede the index.
        loop: while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "&"), UInt8(ascii: "<"): break loop
            case UInt8(ascii: ">"):
                if brackets >= 2, document.isInRoot { break loop }
                brackets = 0
            case UInt8(ascii: "]"): brackets += 1
            case 0x0A:
                line += 1
                brackets = 0
            default: brackets = 0
            }
            index += 1
        }
        if index > bytes.startIndex {
            references.noteOther()
            document.write(text: bytes[..<index], line: firstLine)
        }
        state = .text(brackets: brackets)
        guard index < bytes.endIndex else { return index }
        token = [bytes[index]]
        tokenLine = line
        switch bytes[index] {
        case UInt8(ascii: "&"): state = .reference
        case UInt8(ascii: "<"): state = .opening
        default:
            state = .text()
            document.note(.markup, line: line)
            document.write("&gt;".utf8)
        }
        return index + 1
    }

    /// Reads the unfinished markup as text.
    private mutating func readAsText() {
        let bytes = token
        token = []
        state = .text()
        guard document.isInRoot else { return document.noteOutside(line: tokenLine) }
        line = tokenLine
        document.note(.markup, line: line)
        references.noteOther()
        document.write("&lt;".utf8)
        read(bytes.dropFirst())
    }

    private mutating func takeOfReference(_ byte: UInt8) -> Bool {
        if XMLReferences.isPart(byte), token.count < XMLReferences.limitBytes {
            token.append(byte)
            return true
        }
        let isComplete = byte == UInt8(ascii: ";")
        if isComplete { token.append(byte) }
        endReference()
        return isComplete
    }

    private mutating func endReference() {
        state = .text()
        guard document.isInRoot else { return document.noteOutside(line: tokenLine) }
        guard let replacement = references.replacement(for: token[...]) else {
            return document.write(token)
        }
        document.note(replacement.kind, line: tokenLine)
        document.write(replacement.bytes)
        // Brackets may precede the part left out.
        if replacement.bytes.isEmpty { state = .text(brackets: 2) }
    }

    // MARK: Tags

    private static let commentStart = Array("<!--".utf8)
    private static let sectionStart = Array("<![CDATA[".utf8)
    private static let doctypeStart = Array("<!DOCTYPE".utf8)
    private static let endStart = Array("</".utf8)
    /// The beginnings of markup other than tags.
    private static let starts = [
        commentStart, sectionStart, doctypeStart, endStart, XMLDeclaration.start,
    ]

    private mutating func takeOfOpening(_ byte: UInt8) -> Bool {
        switch token {
        case [UInt8(ascii: "<")] where XMLNames.isStart(byte): state = .tag(.none)
        case Self.endStart where XMLNames.isStart(byte): state = .endTag
        case XMLDeclaration.start where XMLNames.isSpace(byte): state = .declaration
        default:
            let longer = token + [byte]
            if Self.starts.contains(where: { $0.starts(with: longer) }) {
                token = longer
                if Self.starts[..<3].contains(longer) { begin() }
                return true
            }
            if token.starts(with: "<?".utf8), token.count > 2 || XMLNames.isStart(byte) {
                document.write(token)
                state = .instruction(isEnding: false)
            } else {
                readAsText()
            }
            return false
        }
        token.append(byte)
        return true
    }

    /// The beginning of a comment, a section or a DOCTYPE.
    private mutating func begin() {
        switch token {
        case Self.commentStart: state = .comment(dashes: 0)
        case Self.sectionStart where document.isInRoot: state = .section(brackets: 0)
        case Self.doctypeStart where document.takesDoctype: state = .doctype(quote: nil)
        default: return readAsText()
        }
        references.noteOther()
        document.write(token)
    }

    private mutating func append(toTag byte: UInt8) {
        token.append(byte)
        if token.count > limitTagBytes {
            document.fail(.tagTooLong(limitBytes: limitTagBytes), line: line)
        }
    }

    private mutating func takeOfTag(_ byte: UInt8, _ value: Value) -> Bool {
        if case .quoted(let quote) = value {
            if byte == quote { state = .tag(.none) }
            append(toTag: byte)
            return true
        }
        var isExpected = false
        if case .expected = value { isExpected = true }
        switch byte {
        case UInt8(ascii: ">"):
            token.append(byte)
            endStartTag()
            return true
        case UInt8(ascii: "<"):
            readAsText()
            return false
        case UInt8(ascii: "="): state = .tag(.expected)
        case UInt8(ascii: "\"") where isExpected, UInt8(ascii: "'") where isExpected:
            state = .tag(.quoted(byte))
        case _ where XMLNames.isSpace(byte): break
        default: state = .tag(.none)
        }
        append(toTag: byte)
        return true
    }

    private mutating func endStartTag() {
        state = .text()
        guard let tag = XMLStartTag(token, references) else { return readAsText() }
        let isHTML = htmlTagLookup(String(decoding: tag.name, as: UTF8.self)) != nil
        guard document.begin(tag.name, isHTML: isHTML, isEmpty: tag.isEmpty, line: tokenLine)
        else { return }
        references.noteOther()
        for repair in tag.repairs { document.note(repair, line: tokenLine) }
        document.write(tag.repaired)
    }

    private mutating func takeOfEndTag(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ">"):
            token.append(byte)
            endEndTag()
        case UInt8(ascii: "<"):
            readAsText()
            return false
        default: append(toTag: byte)
        }
        return true
    }

    private mutating func endEndTag() {
        state = .text()
        guard document.isInRoot else { return document.noteOutside(line: tokenLine) }
        let name = token.dropFirst(2).prefix { XMLNames.isPart($0) }
        if !token[name.endIndex...].dropLast().allSatisfy(XMLNames.isSpace) {
            document.note(.attribute, line: tokenLine)
            token = Self.endStart + name + [UInt8(ascii: ">")]
        }
        references.noteOther()
        document.write(token)
        document.endElement()
    }

    // MARK: Other markup

    private mutating func takeOfDeclaration(_ byte: UInt8) {
        append(toTag: byte)
        guard byte == UInt8(ascii: ">"), token.dropLast().last == UInt8(ascii: "?") else { return }
        state = .text()
        guard document.isDoubtful else { return document.note(.markup, line: tokenLine) }
        document.restart(line: tokenLine)
        references = XMLReferences()
        guard !XMLDeclaration(token[...]).isWellFormed else { return document.write(token) }
        document.note(.markup, line: tokenLine)
        document.write("<?xml version=\"1.0\"".utf8)
        document.write(token.filter { $0 == 0x0A })
        document.write("?>".utf8)
    }

    private mutating func readSection(_ bytes: ArraySlice<UInt8>, _ brackets: Int) -> Int {
        var brackets = brackets
        var index = bytes.startIndex
        state = .text()
        // Invariant: bytes[..<index] is in the section, and `brackets` of `]` precede the index.
        loop: while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: ">") where brackets >= 2: break loop
            case UInt8(ascii: "]"): brackets += 1
            case 0x0A:
                line += 1
                brackets = 0
            default: brackets = 0
            }
            index += 1
        }
        if index == bytes.endIndex { state = .section(brackets: brackets) } else { index += 1 }
        document.write(bytes[..<index])
        return index
    }

    private mutating func readComment(_ bytes: ArraySlice<UInt8>, _ dashes: Int) -> Int {
        let dash = UInt8(ascii: "-")
        let end = bytes.firstIndex { $0 == dash || $0 == UInt8(ascii: ">") } ?? bytes.endIndex
        if end > bytes.startIndex || bytes[end] != dash && dashes < 2 {
            // Two dashes must not follow each other but at the end.
            if dashes == 2 { document.note(.markup, line: line) }
            document.write(["", "-", "- -"][dashes].utf8)
            let part = bytes[..<max(end, bytes.startIndex + 1)]
            document.write(part)
            line += part.count { $0 == 0x0A }
            state = .comment(dashes: 0)
            return part.endIndex
        }
        if bytes[end] != dash {
            document.write("-->".utf8)
            state = .text()
        } else if dashes < 2 {
            state = .comment(dashes: dashes + 1)
        } else {
            document.note(.markup, line: line)
            document.write("- ".utf8)
        }
        return end + 1
    }

    private mutating func takeOfDoctype(_ byte: UInt8, _ quote: UInt8?) {
        switch byte {
        case quote: state = .doctype(quote: nil)
        case _ where quote != nil: break
        case UInt8(ascii: "\""), UInt8(ascii: "'"): state = .doctype(quote: byte)
        case UInt8(ascii: "["):
            document.note(.declarations, line: line)
            declarations = XMLDoctypeRepair()
            state = .declarations
            return
        case UInt8(ascii: "]"): return
        case UInt8(ascii: ">"): state = .text()
        default: break
        }
        document.write(byte)
    }

    // MARK: The end

    private mutating func end() {
        let endTag = Self.endStart + (document.root ?? []) + [UInt8(ascii: ">")]
        let start = token.prefix { !XMLNames.isSpace($0) }
        switch state {
        case .reference: endReference()
        case .opening: readAsText()
        case .endTag where document.needsEnd && endTag.starts(with: start): state = .text()
        case .comment(let dashes) where !document.isAfterRoot:
            document.write(["", "-", "--"][dashes].utf8)
        case .tag, .endTag, .declaration:
            if document.isAfterRoot {
                document.noteOutside(line: tokenLine)
            } else {
                document.write(token)
            }
        case .comment: document.write("-->".utf8)
        case .instruction where document.isAfterRoot: document.write("?>".utf8)
        case .text, .section, .instruction, .doctype, .declarations: break
        }
        guard case .text = state, document.needsEnd else { return }
        document.note(.missingEnd, line: line)
        document.write(endTag)
    }
}
