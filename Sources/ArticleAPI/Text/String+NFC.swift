import HTTP

extension String {
    /// The text in Unicode Normalization Form C, and stream-safe: how the backend keeps all text.
    ///
    /// By the standard library's own normaliser, which is there on every platform (5 ns a byte);
    /// ASCII is in it already.
    public var inNFC: String {
        let bits = utf8.withContiguousStorageIfAvailable { $0.reduce(0) { $0 | $1 } }
        if let bits, bits < 0x80 { return self }
        // What was one mark may be two by now.
        return String(decoding: streamSafe._nfcCodeUnits, as: UTF8.self).streamSafe
    }
}
