import ArticleAPI
import BroadsheetPlatform
import Glibc

/// Reads a regular file sequentially with blocking calls (`open(2)`, `read(2)`).
struct FileReader: ~Copyable {
    private let descriptor: Descriptor

    init(_ path: String) throws(SystemError) { descriptor = try Self.open(path) }

    private static func open(_ path: String) throws(SystemError) -> Descriptor {
        // Non-blocking, as a FIFO that replaced the file must not stall the import.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        let descriptor = Descriptor(try retrying("open") { Glibc.open(path, flags) })
        var status = stat()
        _ = try retrying("fstat") { fstat(descriptor.raw, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("open", code: EINVAL) }
        return descriptor
    }

    /// Reads into the beginning of the buffer; returns the number of bytes, 0 at the end of the
    /// file.
    mutating func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
        let raw = descriptor.raw
        return try retrying("read") {
            buffer.withUnsafeMutableBytes { Glibc.read(raw, $0.baseAddress, $0.count) }
        }
    }

    /// The whole file; `nil` if it is larger than `limitBytes`.
    package static func bytes(of path: String, limitBytes: Int) throws(SystemError) -> [UInt8]? {
        let file = try open(path)
        return try FileSystem.bytes(of: file.raw, limitBytes: limitBytes)
    }
}

/// Reads the lines of a file one at a time: at most one line and one chunk are in memory.
struct LineReader: ~Copyable {
    /// One line without its line feed.
    struct Line {
        /// From 1.
        var number: Int
        /// `nil` if the line is longer than `limitBytes`.
        var bytes: [UInt8]?
    }

    /// Maximum length of a line in bytes. The largest body fits even if each of its bytes is
    /// escaped (RFC 8259 §7).
    package static let limitBytes = 16 * 1024 * 1024

    /// Bytes read so far.
    private(set) var offset = 0
    private var reader: FileReader
    private var chunk = [UInt8](repeating: 0, count: 256 * 1024)
    private var unread = 0..<0
    private var number = 0
    private let limitBytes: Int

    init(_ path: String, limitBytes: Int = LineReader.limitBytes) throws(SystemError) {
        reader = try FileReader(path)
        self.limitBytes = limitBytes
    }

    /// The next line that is not blank; a byte order mark at the beginning of the file is dropped.
    mutating func next() throws(SystemError) -> Line? {
        while let line = try nextLine() {
            guard var bytes = line.bytes else { return line }
            if line.number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
            if !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                return Line(number: line.number, bytes: bytes)
            }
        }
        return nil
    }

    private mutating func nextLine() throws(SystemError) -> Line? {
        var line: [UInt8]? = []
        var isBegun = false
        // Invariant: `line` holds all bytes since the last line feed, or is `nil`: too many.
        while true {
            if unread.isEmpty {
                unread = 0..<(try reader.read(into: &chunk))
                offset += unread.count
                guard !unread.isEmpty else {
                    guard isBegun else { return nil }
                    number += 1
                    return Line(number: number, bytes: line)
                }
            }
            isBegun = true
            let feed = chunk[unread].firstIndex(of: UInt8(ascii: "\n"))
            let part = unread.lowerBound..<(feed ?? unread.upperBound)
            if let length = line?.count, length + part.count > limitBytes { line = nil }
            line?.append(contentsOf: chunk[part])
            unread = (feed.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
            if feed != nil {
                number += 1
                return Line(number: number, bytes: line)
            }
        }
    }
}

extension LineReader.Line {
    /// The JSON value on the line and its bytes.
    package func json() throws(LineFault) -> (value: JSONValue, bytes: [UInt8]) {
        guard let bytes else {
            throw LineFault(reason: "is longer than \(LineReader.limitBytes) bytes")
        }
        do throws(JSONSyntaxError) { return (try JSONParser.parse(bytes), bytes) } catch {
            var error = error
            error.line = number
            throw LineFault(reason: error.message)
        }
    }
}
