import BroadsheetHTTP

/// References to resources, such as those of links: as browsers accept them (WHATWG URL Standard),
/// written as URIs (RFC 3986).
package enum Reference {
    /// Returns the absolute reference.
    ///
    /// A reference to the web has its scheme and its host in lower case, the host in ASCII (IDNA),
    /// and no default port; white space around it and line breaks within it are left out,
    /// backslashes in paths are slashes, and octets that may not occur in a URI, such as spaces,
    /// brackets and a `%` without two digits, are percent-encoded. A reference with another scheme
    /// is returned as it is.
    ///
    /// Against `https://example.org/a/`, `../b.png` is `https://example.org/b.png`, and
    /// `//www.bücher.example/` is `https://www.xn--bcher-kva.example/`.
    ///
    /// - Parameter base: A URL of the web; `nil` if a relative reference has none. If the base is
    ///   relative itself, so is the result.
    /// - Returns: `nil` if the reference cannot be understood.
    package static func resolve(_ reference: String, against base: String?) -> String? {
        let text = cleaned(reference)
        var relative = text[...]
        if let scheme = scheme(of: text) {
            guard isWeb(scheme) else { return reference }
            relative = afterScheme(scheme, text)
            let hasSameScheme = base.flatMap { self.scheme(of: $0) } == scheme
            guard hasSameScheme, !beginsWithSlash(relative) else {
                return place(scheme, relative).map { $0.root + $0.tail }
            }
        }
        guard let base else { return nil }
        guard let scheme = scheme(of: base) else {
            let parts = merged(encodedTail(relative), with: encodedTail(cleaned(base)[...]))
            return parts.path + parts.rest
        }
        guard isWeb(scheme), let page = place(scheme, afterScheme(scheme, cleaned(base))) else {
            return nil
        }
        if beginsWithSlash(relative), beginsWithSlash(relative.dropFirst()) {
            return place(scheme, relative).map { $0.root + $0.tail }
        }
        let parts = merged(encodedTail(relative), with: page.tail)
        return page.root + withoutDots(parts.path) + parts.rest
    }

    /// The lower-cased scheme (RFC 3986 §3.1); `nil` for a relative reference.
    package static func scheme(of reference: String) -> String? {
        let utf8 = reference.utf8
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), colon > utf8.startIndex,
            let first = utf8.first, isLetter(first),
            utf8[..<colon].allSatisfy({
                isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
            })
        else { return nil }
        return String(reference[..<colon]).lowercased()
    }

    /// The text with percent-encoding for octets that may not occur in a URI.
    package static func encoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if byte <= 0x20 || byte >= 0x7F || "\"<>\\^`{|}".utf8.contains(byte) {
                append(encoding: byte, to: &encoded)
            } else {
                encoded.append(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isWeb(_ scheme: String) -> Bool { scheme == "http" || scheme == "https" }

    private static func afterScheme(_ scheme: String, _ text: String) -> Substring {
        Substring(text.utf8.dropFirst(scheme.utf8.count + 1))
    }

    private static func beginsWithSlash(_ text: Substring) -> Bool {
        text.utf8.first == UInt8(ascii: "/") || text.utf8.first == UInt8(ascii: "\\")
    }

    /// Without controls and spaces around it, and without tabs and line breaks.
    private static func cleaned(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { $0 > " " }),
            let last = scalars.lastIndex(where: { $0 > " " })
        else { return "" }
        return String(
            String.UnicodeScalarView(
                scalars[first...last].filter { !["\t", "\n", "\r"].contains($0) }))
    }

    // MARK: Authorities

    /// A URL of the web in two parts: scheme and authority, which any number of slashes precede,
    /// and the rest. `nil` if it has no valid host and port.
    private static func place(
        _ scheme: String, _ text: Substring
    ) -> (root: String, tail: String)? {
        let rest = text.utf8.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let end = rest.firstIndex { "/\\?#".utf8.contains($0) } ?? rest.endIndex
        var host = text[rest.startIndex..<end]
        var user = ""
        if let mark = host.utf8.lastIndex(of: UInt8(ascii: "@")) {
            user = encodedTail(host[..<mark]) + "@"
            host = host[text.utf8.index(after: mark)...]
        }
        var port = ""
        let afterBrackets = host.utf8.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
        if let colon = host[afterBrackets...].utf8.lastIndex(of: UInt8(ascii: ":")) {
            let digits = host[host.utf8.index(after: colon)...]
            guard digits.utf8.count <= 10, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            let number = Int(digits) ?? (scheme == "https" ? 443 : 80)
            if number != (scheme == "https" ? 443 : 80) { port = ":\(number)" }
            host = host[..<colon]
        }
        guard let name = HostName.ascii(String(host)) else { return nil }
        return ("\(scheme)://\(user)\(name)\(port)", encodedTail(text[end...]))
    }

    // MARK: Paths, queries and fragments

    /// Returns the part after an authority, with octets that may not occur there percent-encoded.
    private static func encodedTail(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        var isPath = true
        var isFragment = false
        // Invariant: the bytes before `index` are in `encoded`.
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "#") where !isFragment:
                isFragment = true
                isPath = false
                encoded.append(byte)
            case UInt8(ascii: "?"):
                isPath = false
                encoded.append(byte)
            case UInt8(ascii: "\\") where isPath: encoded.append(UInt8(ascii: "/"))
            case UInt8(ascii: "%"):
                let digits = bytes[(index + 1)...].prefix(2)
                if digits.count == 2, digits.allSatisfy(isHexadecimal) {
                    encoded.append(byte)
                } else {
                    append(encoding: byte, to: &encoded)
                }
            case _ where isLetter(byte) || "0123456789-._~!$&'()*+,;=:@/".utf8.contains(byte):
                encoded.append(byte)
            default: append(encoding: byte, to: &encoded)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func append(encoding byte: UInt8, to encoded: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// A relative reference without an authority, against path and query of a page
    /// (RFC 3986 §5.2.2), with `.` and `..`.
    private static func merged(
        _ reference: String, with page: String
    ) -> (path: String, rest: String) {
        let bare = page.prefix { $0 != "#" }
        let end = bare.firstIndex(of: "?") ?? bare.endIndex
        let path = String(bare[..<end])
        if reference.isEmpty || reference.hasPrefix("#") { return (path, bare[end...] + reference) }
        if reference.hasPrefix("?") { return (path, reference) }
        let query = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let whole = (reference.hasPrefix("/") ? "" : folder) + reference[..<query]
        return (String(whole), String(reference[query...]))
    }

    /// The path without `.` and `..` (RFC 3986 §5.2.4).
    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let whole = path.hasPrefix("/") ? path : "/" + path
        let segments = whole.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        // Invariant: `kept` has the segments that those before `index` mean.
        for (index, segment) in zip(segments.indices, segments) {
            let isLast = index == segments.endIndex - 1
            // Most segments begin with neither, and need not be searched.
            let mayBeDots = segment.utf8.first.map { ".%".utf8.contains($0) } ?? false
            let plain =
                mayBeDots
                ? segment.replacing(bytesOf: "%2e", with: ".").replacing(bytesOf: "%2E", with: ".")
                : String(segment)
            switch plain {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
