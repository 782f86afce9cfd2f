import ArticleAPI

/// A text with the places that matched.
struct HighlightedText {
    private let bytes: [UInt8]
    /// Ascending; they do not touch.
    private let marks: [Range<Int>]

    /// A text in UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - marks: whole scalars, in the order in which they begin; they may overlap.
    init(_ bytes: [UInt8], _ marks: [Range<Int>]) {
        self.bytes = bytes
        var merged: [Range<Int>] = []
        for mark in marks {
            if let last = merged.last, mark.lowerBound <= last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound..<max(last.upperBound, mark.upperBound)
            } else {
                merged.append(mark)
            }
        }
        self.marks = merged
    }

    /// A part of the text in pieces.
    func pieces(_ range: Range<Int>) -> [SearchPiece] {
        var pieces: [SearchPiece] = []
        var start = range.lowerBound
        func append(_ end: Int, isMatch: Bool) {
            guard start < end else { return }
            let text = String(decoding: bytes[start..<end], as: UTF8.self)
            pieces.append(SearchPiece(text: text, isMatch: isMatch))
            start = end
        }
        // Invariant: `pieces` are the text before `start`.
        for mark in marks where mark.overlaps(range) {
            append(max(start, mark.lowerBound), isMatch: false)
            append(min(range.upperBound, mark.upperBound), isMatch: true)
        }
        append(range.upperBound, isMatch: false)
        return pieces
    }
}
