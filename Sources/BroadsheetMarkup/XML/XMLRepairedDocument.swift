/// The document that `XMLMarkupRepair` has written, and its knowledge of the document's structure.
struct XMLRepairedDocument {
    private(set) var repairs = XMLRepairs()
    /// The reason why nothing is read any more, and the line.
    private(set) var failure: XMLError?
    /// The line that the output begins on.
    private(set) var firstLine = 1
    /// The name of the root element.
    private(set) var root: [UInt8]?
    /// True if the document may still begin: so far, there may have been a message in HTML before
    /// it, as PHP writes them.
    private(set) var isDoubtful = true
    /// Number of open elements.
    private var depth = 0
    private var hasDoctype = false
    /// True if the root element contains another.
    private var hasChild = false
    private var isBeginningNoted = false
    private var isEndNoted = false
    private var output: [UInt8] = []
    private var outputCount = 0

    /// The maximum bytes before the document.
    private static let limitBefore = 64 << 10

    var isInRoot: Bool { depth > 0 }
    var isAfterRoot: Bool { root != nil && depth == 0 }
    /// True if nothing is missing but the last end tag.
    var needsEnd: Bool { depth == 1 && hasChild }

    /// Removes and returns the bytes written, unless they may have to be left out.
    mutating func release(atEnd: Bool) -> [UInt8] {
        guard atEnd || failure != nil || !isDoubtful else { return [] }
        defer { output = [] }
        return output
    }

    mutating func write(_ bytes: some Collection<UInt8>) {
        output += bytes
        outputCount += bytes.count
        if outputCount > Self.limitBefore { isDoubtful = false }
    }

    mutating func write(_ byte: UInt8) {
        output.append(byte)
        outputCount += 1
    }

    /// Writes text that begins on this line; outside of the root element, only white space.
    mutating func write(text: ArraySlice<UInt8>, line: Int) {
        if isInRoot { return write(text) }
        let spaces = text.filter(XMLNames.isSpace)
        write(spaces)
        guard spaces.count < text.count else { return }
        let before = text.prefix(while: XMLNames.isSpace)
        noteOutside(line: line + before.count { $0 == 0x0A })
    }

    mutating func note(_ kind: XMLRepairs.Kind, line: Int) {
        guard !repairs.note(kind, line: line, position: outputCount) else { return }
        fail(.tooManyRepairs(limit: XMLRepairs.limit), line: line)
    }

    mutating func fail(_ reason: XMLError.Reason, line: Int) {
        if failure == nil { failure = XMLError(line: line, reason) }
    }

    /// Notes that something before or after the root element is left out.
    mutating func noteOutside(line: Int) {
        if !(isAfterRoot ? isEndNoted : isBeginningNoted) { note(.outside, line: line) }
        if isAfterRoot { isEndNoted = true } else { isBeginningNoted = true }
    }

    /// Begins another document on this line: everything before it is left out.
    mutating func restart(line: Int) {
        if output.contains(where: { !XMLNames.isSpace($0) }) { noteOutside(line: firstLine) }
        output = []
        firstLine = line
        root = nil
        isDoubtful = true
        depth = 0
        hasDoctype = false
        hasChild = false
    }

    /// True if a DOCTYPE may begin here; reading this begins it.
    var takesDoctype: Bool {
        mutating get {
            guard root == nil, !hasDoctype else { return false }
            hasDoctype = true
            return true
        }
    }

    /// Begins an element, whose start tag is then to be written.
    ///
    /// - Returns: True if it belongs to the document.
    mutating func begin(
        _ name: some Collection<UInt8>, isHTML: Bool, isEmpty: Bool, line: Int
    ) -> Bool {
        if isAfterRoot {
            guard isDoubtful, !isHTML else {
                noteOutside(line: line)
                return false
            }
            restart(line: line)
        }
        if root == nil {
            root = Array(name)
            if !isHTML { isDoubtful = false }
        } else if depth == 1 {
            hasChild = true
        }
        if !isEmpty { depth += 1 }
        return true
    }

    mutating func endElement() { depth -= 1 }
}
