import ArticleAPI
import CSodium

/// A password in memory, which is overwritten when it is released (`sodium_memzero`).
///
/// It is kept in NFC, so that it is the same from every keyboard (RFC 8265 §4.2.2). Immutable; use
/// it anywhere. The request that it came in has copies of its own.
package final class Password: Sendable {
    /// In bytes of UTF-8.
    static let lengths = 8...1_000

    // Written by the initialiser only, and owned by this object.
    private nonisolated(unsafe) let bytes: UnsafeMutableBufferPointer<CChar>

    /// A password that somebody chose for an account.
    package convenience init(chosen text: String) throws(ServiceError) {
        let text = text.inNFC
        guard text.utf8.count >= Self.lengths.lowerBound else {
            throw .invalidValue("/password", "is shorter than \(Self.lengths.lowerBound) bytes")
        }
        try self.init(normalized: text)
    }

    /// A password to be verified, which may be one that could not be chosen today.
    package convenience init(presented text: String) throws(ServiceError) {
        try self.init(normalized: text.inNFC)
    }

    private init(normalized text: String) throws(ServiceError) {
        guard text.utf8.count <= Self.lengths.upperBound else {
            throw .invalidValue("/password", "is longer than \(Self.lengths.upperBound) bytes")
        }
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
