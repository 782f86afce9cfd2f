import ArticleServiceCore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetResources

/// The files of the console as responses. The page names all others below one hash of them all, so
/// that browsers keep them for good and never mix those of two versions.
package struct ConsoleFiles: Sendable {
    /// 16 hexadecimal digits.
    let hash: String
    /// The page, for `/console` and for browsers at `/`.
    let page: HTTPResponse
    private let files: [String: HTTPResponse]

    /// The placeholder for the hash in the page.
    private static let placeholder = "/console/hash/"
    private static let pageName = "index.html"

    /// The files that the binary contains.
    package init() {
        let table = broadsheet_console()
        self.init(
            UnsafeBufferPointer(start: table.first, count: table.count).map { file in
                let bytes = [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.size))
                return (String(cString: file.name), bytes)
            })
    }

    /// - Parameter contents: The files with their names, in the order of these.
    init(_ contents: [(name: String, bytes: [UInt8])]) {
        // Lengths separate names and contents, so that no two sets of files hash alike.
        let all = contents.flatMap { file in
            Array("\(file.name.utf8.count) \(file.bytes.count) \(file.name)".utf8) + file.bytes
        }
        let hash = ByteText.hexadecimal(Digest.sha256(all).prefix(8))
        self.hash = hash
        var files: [String: HTTPResponse] = [:]
        var page: [UInt8] = []
        for (name, bytes) in contents {
            if name == Self.pageName {
                let text = String(decoding: bytes, as: UTF8.self)
                page = Array(Self.insert(hash, into: text).utf8)
            } else if let type = Self.mediaType(of: name) {
                files[name] = Self.file(bytes, type)
            }
        }
        self.files = files
        self.page = Self.page(page)
    }

    /// The response with a file; `nil` for an unknown one, or one of another version.
    func file(_ name: String, hash: String) -> HTTPResponse? {
        hash == self.hash ? files[name] : nil
    }

    private static func insert(_ hash: String, into page: String) -> String {
        let parts = page.split(separator: placeholder, omittingEmptySubsequences: false)
        return parts.joined(separator: "/console/\(hash)/")
    }

    private static func mediaType(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: nil
        }
    }

    // MARK: Responses

    /// The content that the page may load, run and send: files of this origin, and pictures of
    /// articles from anywhere (CSP 3, Trusted Types).
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'",
        "img-src 'self' https: data:", "connect-src 'self'", "form-action 'self'",
        "base-uri 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types broadsheet",
    ].joined(separator: "; ")

    /// The features that the page does not use.
    private static let permissions = [
        "camera", "display-capture", "geolocation", "hid", "microphone", "midi", "payment",
        "publickey-credentials-get", "serial", "usb",
    ].map { "\($0)=()" }.joined(separator: ", ")

    private static func page(_ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            .ok,
            fields: [
                .cacheControl: "public, no-cache", .vary: "Accept, Accept-Encoding",
                .etag: Validator.tag(version: nil, of: bytes).description,
                .contentSecurityPolicy: policy, .crossOriginOpenerPolicy: "same-origin",
                .crossOriginResourcePolicy: "same-origin", .permissionsPolicy: permissions,
                .contentType: "text/html; charset=utf-8",
            ], body: .bytes(bytes))
    }

    private static func file(_ bytes: [UInt8], _ type: String) -> HTTPResponse {
        HTTPResponse(
            .ok,
            fields: [
                .cacheControl: "public, max-age=31536000, immutable", .vary: "Accept-Encoding",
                .etag: Validator.tag(version: nil, of: bytes).description,
                .crossOriginResourcePolicy: "same-origin", .contentType: type,
            ], body: .bytes(bytes))
    }
}
