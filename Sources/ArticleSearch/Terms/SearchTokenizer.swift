/// The conversion of texts to keys.
package enum SearchTokenizer {
    /// Changes with the keys or impacts of any document: an index of another version is rebuilt.
    package static let version = 3
}
