import CBroadsheetOpenSSL

/// A digest of the rows of a table, in any order and engine: their number, and the sum of their
/// SHA-256, as four numbers of 64 bits.
struct TableDigest: Sendable, Equatable {
    private(set) var rows = 0
    private var sums = SIMD4<UInt64>()

    /// Fetched once (`EVP_MD_fetch`).
    private static let algorithm = Algorithm()

    // Safe to share: a fetched algorithm is immutable and lives as long as the program.
    private struct Algorithm: @unchecked Sendable {
        let handle = EVP_MD_fetch(nil, "SHA256", nil)
    }

    /// Adds a row in `RowFormat`.
    mutating func add(_ row: UnsafeRawBufferPointer) {
        var words = SIMD4<UInt64>()
        var length: UInt32 = 0
        let code = withUnsafeMutableBytes(of: &words) { output in
            EVP_Digest(
                row.baseAddress, row.count,
                output.baseAddress?.assumingMemoryBound(to: UInt8.self), &length,
                Self.algorithm.handle, nil)
        }
        // Programmer error: SHA-256 is in every build of libcrypto and takes any bytes.
        precondition(code == 1 && length == 32, "EVP_Digest failed")
        rows += 1
        sums &+= words
    }

    /// The first 16 hexadecimal digits.
    var text: String {
        let digits = String(sums[0].bigEndian, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
