import CBroadsheetXML
import Glibc

/// The owner of a conversion to UTF-8 (iconv(3)). It is used for one text, from its beginning.
final class XMLConverter {
    private let handle: iconv_t
    private let encoding: XMLEncoding
    /// The beginning of a character whose rest has not arrived.
    private var rest: [UInt8] = []

    /// `nil` if iconv does not know the encoding.
    init?(_ encoding: XMLEncoding) {
        guard let handle = iconv_open("UTF-8", encoding.name),
            handle != iconv_t(bitPattern: -1)
        else { return nil }
        self.handle = handle
        self.encoding = encoding
    }

    deinit { iconv_close(handle) }

    /// The text of further bytes, as far as it is complete.
    func convert(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var input = rest + bytes
        rest = []
        var output: [UInt8] = []
        var index = 0
        // Invariant: input[..<index] is decoded in `output`.
        while index < input.count {
            let (used, fault) = step(&input, from: index, to: &output)
            index += used
            switch fault {
            case 0, E2BIG: break
            case EINVAL where !isLast:
                rest = Array(input[index...])
                return output
            default:
                output.append(Self.undecodable)
                index += encoding.invalidLength(input[index...])
            }
        }
        return output
    }

    /// The byte that stands for bytes that cannot be decoded: it does not occur in UTF-8.
    private static let undecodable: UInt8 = 0xFF

    /// Decodes until the input ends, a buffer is full, or a byte cannot be decoded.
    ///
    /// - Returns: The number of bytes decoded, and the error's number.
    private func step(
        _ input: inout [UInt8], from index: Int, to output: inout [UInt8]
    ) -> (Int, Int32) {
        let count = input.count - index
        var left = count
        var fault: Int32 = 0
        let decoded = [UInt8](unsafeUninitializedCapacity: 4 * min(count, 16 << 10) + 64) {
            buffer, written in
            var free = buffer.count
            let size = buffer.count
            buffer.withMemoryRebound(to: CChar.self) { buffer in
                input.withUnsafeMutableBytes { input in
                    var from = input.baseAddress?.assumingMemoryBound(to: CChar.self)
                        .advanced(by: index)
                    var to = buffer.baseAddress
                    if iconv(handle, &from, &left, &to, &free) == -1 {
                        fault = errno
                    }
                }
            }
            written = size - free
        }
        output += decoded
        return (count - left, fault)
    }
}
