// 'span' is only available in

/// An array's span came with the systems of 2025; a slice's is older.
func count(_ bytes: [UInt8]) -> Int {
    bytes.span.count
}
