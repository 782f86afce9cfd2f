/// A part of a text, and whether it matched. A value; use it anywhere.
package struct SearchPiece: Sendable, Hashable {
    package var text: String
    package var isMatch: Bool

    package init(text: String, isMatch: Bool) {
        self.text = text
        self.isMatch = isMatch
    }
}
