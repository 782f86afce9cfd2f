import CZlib

/// Decodes the gzip coding (RFC 1952) of a body in bounded pieces.
final class GzipDecoder {
    // zlib keeps the address, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let room: UnsafeMutableBufferPointer<UInt8>
    /// Whether a member has begun, and whether the last one is complete.
    private var (hasBegun, hasEnded) = (false, false)

    /// Maximum output of one step, in bytes.
    static let stepBytes = 32 << 10

    /// `nil` if memory is exhausted (`inflateInit2`).
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        room = .allocate(capacity: Self.stepBytes)
        guard czlib_begin_gunzip(stream) == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        room.deallocate()
    }

    /// Resets the decoder for another body.
    func begin() {
        inflateReset(stream)
        (hasBegun, hasEnded) = (false, false)
    }

    /// Whether the input so far is a complete body. No input at all is an empty one.
    var isWhole: Bool { !hasBegun || hasEnded }

    /// Decodes the input from `position` on, up to one step's output.
    ///
    /// - Returns: Whether this input has more output.
    /// - Throws: `malformed` if the input is not valid gzip.
    func step(
        _ input: [UInt8], _ position: inout Int, into output: inout [UInt8]
    ) throws(HTTPClientError) -> Bool {
        if hasEnded, position < input.count {
            // Members may follow each other (§2.2).
            inflateReset(stream)
            hasEnded = false
        }
        guard !hasEnded, position < input.count || hasBegun else { return false }
        hasBegun = true
        let code = inflate(input, &position, into: &output)
        switch code {
        case Z_STREAM_END:
            hasEnded = true
            return position < input.count
        case Z_OK: return position < input.count || stream.pointee.avail_out == 0
        // All output of the input has been produced.
        case Z_BUF_ERROR: return false
        case Z_MEM_ERROR: throw .malformed("a gzip body that exhausts memory")
        default: throw .malformed("a body that is not valid gzip")
        }
    }

    private func inflate(
        _ input: [UInt8], _ position: inout Int, into output: inout [UInt8]
    ) -> Int32 {
        input.withUnsafeBufferPointer { input in
            let rest = UnsafeBufferPointer(rebasing: input[position...])
            let offered = UInt32(clamping: rest.count)
            stream.pointee.next_in = UnsafeMutablePointer(mutating: rest.baseAddress)
            stream.pointee.avail_in = offered
            stream.pointee.next_out = room.baseAddress
            stream.pointee.avail_out = UInt32(room.count)
            let code = CZlib.inflate(stream, Z_NO_FLUSH)
            position += Int(offered - stream.pointee.avail_in)
            output.append(
                contentsOf: room.prefix(room.count - Int(stream.pointee.avail_out)))
            stream.pointee.next_in = nil
            return code
        }
    }
}
