/// An id that a store on the device keeps: a value with one form as bytes, at most 1,000 of them.
///
/// Numbers, texts, UUIDs and the ids of the contract are such ids. One of your own that has a form
/// as text needs one line.
///
/// ```swift
/// struct ISBN: LosslessStringConvertible, StorableID {
///     let description: String
///     init(_ description: String) { self.description = description }
/// }
/// ```
public protocol StorableID: Hashable, Sendable {
    /// The same for equal ids, on every device and in every version of the app.
    var storedBytes: [UInt8] { get }

    /// The id with these bytes; `nil` if there is none.
    init?(storedBytes: [UInt8])
}

extension StorableID where Self: LosslessStringConvertible {
    public var storedBytes: [UInt8] { Array(description.utf8) }

    public init?(storedBytes: [UInt8]) {
        self.init(String(decoding: storedBytes, as: UTF8.self))
    }
}

extension Int: StorableID {}
extension Int64: StorableID {}
extension String: StorableID {}

extension Identifier: StorableID {
    public var storedBytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    public init?(storedBytes: [UInt8]) {
        guard storedBytes.count == 16 else { return nil }
        // Invariant: the words have the bytes so far, the last one lowest.
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in storedBytes.enumerated() {
            if index < 8 {
                words.0 = words.0 << 8 | UInt64(byte)
            } else {
                words.1 = words.1 << 8 | UInt64(byte)
            }
        }
        self.init(high: words.0, low: words.1)
    }
}
