import Glibc

/// The files below a folder that contain a text, in upper or lower case, anywhere among their
/// bytes. The write-ahead log of a PostgreSQL server is left out: the server itself removes it.
public func files(with text: String, in folder: String) throws(TestFailure) -> [String] {
    let search = try RunningProgram(
        "/usr/bin/env", ["grep", "-rlaiF", "--exclude-dir=pg_wal", "-e", text, folder])
    let found = search.output.rest()
    // Files may be removed meanwhile.
    let errors = search.errors.rest().filter { !$0.hasSuffix(": No such file or directory") }
    search.wait()
    guard errors.isEmpty else { throw TestFailure("grep: \(errors)") }
    return found
}

/// Returns true if the bytes of a text are among those of another one, at the cost of a few calls.
public func occurs(_ part: String, in text: String) -> Bool {
    var (part, text) = (part, text)
    return part.withUTF8 { part in
        guard let wanted = part.baseAddress, let first = part.first else { return true }
        return text.withUTF8 { text in
            guard let start = text.baseAddress else { return false }
            var place = 0
            while place + part.count <= text.count {
                let last = text.count - part.count - place + 1
                guard let found = memchr(start + place, Int32(first), last) else { return false }
                if memcmp(found, wanted, part.count) == 0 { return true }
                place = UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
            }
            return false
        }
    }
}

/// Returns true if long pieces of bytes are the same. `==` takes much longer where it is not
/// optimized, and a test that describes their difference takes minutes.
public func areSame(_ some: [UInt8], _ others: [UInt8]) -> Bool {
    some.count == others.count
        && some.withUnsafeBytes { some in
            others.withUnsafeBytes { others in
                guard let first = some.baseAddress, let second = others.baseAddress else {
                    return true
                }
                return memcmp(first, second, some.count) == 0
            }
        }
}
