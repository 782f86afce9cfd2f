import ArticleAPI
import ArticleServiceCore
import CBroadsheetSodium

/// A password in memory, which is overwritten when it is released (`sodium_memzero`).
///
/// It is kept in NFC, so that it is the same from every keyboard (RFC 8265 §4.2.2). Immutable; use
/// it anywhere. The request that it came in has copies of its own.
final class Password: Sendable {
    /// In Unicode scalars.
    static let minimumCharacters = 8
    static let limitBytes = 1_000

    // Written by the initialiser only, and owned by this object.
    private nonisolated(unsafe) let bytes: UnsafeMutableBufferPointer<CChar>

    /// A password that a user chose for an account: not one that is guessed first.
    ///
    /// - Parameter key: That of the account's name.
    convenience init(
        chosen text: String, forName key: String
    ) throws(ServiceError) {
        let text = text.inNFC
        try Self.checkLength(text)
        if let fault = Self.weakness(text, key) { throw .invalidValue("/password", fault) }
        try self.init(normalized: text)
    }

    private static func weakness(_ text: String, _ key: String) -> String? {
        if text.unicodeScalars.count < minimumCharacters {
            return "is shorter than \(minimumCharacters) characters"
        }
        let folded = text.caseFolded
        if Set(folded.unicodeScalars).count <= 1 { return "repeats one character" }
        if CommonPasswords.contains(folded) { return "is one of the most common passwords" }
        return (try? AccountName(text))?.key == key ? "is the name of the account" : nil
    }

    /// A password to be verified, which may be one that could not be chosen today.
    convenience init(presented text: String) throws(ServiceError) {
        try self.init(normalized: text.inNFC)
    }

    private static func checkLength(_ text: String) throws(ServiceError) {
        guard text.utf8.count <= limitBytes else {
            throw .invalidValue("/password", "is longer than \(limitBytes) bytes")
        }
    }

    private init(normalized text: String) throws(ServiceError) {
        try Self.checkLength(text)
        bytes = .allocate(capacity: text.utf8.count)
        _ = bytes.initialize(fromContentsOf: text.utf8.map { CChar(bitPattern: $0) })
    }

    deinit {
        sodium_memzero(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        body(UnsafeBufferPointer(bytes))
    }
}
