import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Glibc

/// The redirects of Ghost, which it exports as a file of their own: former slugs of posts.
///
/// Patterns and addresses of other sites are ignored.
struct GhostRedirects: Sendable {
    /// The names of the file: since version 4, and before.
    package static let names = ["redirects.yaml", "redirects.json"]
    package static let limitBytes = 4 << 20
    /// Maximum length of a path in bytes.
    private static let limitPathBytes = 1_000

    /// Former slugs by the slug that they lead to.
    private var formerSlugs: [String: [String]] = [:]

    /// None.
    init() {}

    /// `[{"from": "/old/", "to": "/new/"}]`
    init(json value: JSONValue) {
        guard case .array(let items) = value else { return }
        for record in items.map(GhostRecord.init) {
            if let from = record.text("from"), let to = record.text("to") { add(from, to) }
        }
    }

    /// `301: {/old/: /new/}`
    init(yaml bytes: [UInt8]) throws(FrontMatterError) {
        for (_, redirects) in try FrontMatterNode.mapping(of: bytes[...], firstLine: 1) {
            guard case .mapping(let entries) = redirects.value else { continue }
            for (from, to) in entries {
                if case .scalar(let to, _) = to.value { add(from, to) }
            }
        }
    }

    /// The former slugs of a post.
    func formerSlugs(of slug: String) -> [String] { formerSlugs[slug] ?? [] }

    private mutating func add(_ from: String, _ to: String) {
        guard let from = Self.slug(from), let to = Self.slug(to), from != to,
            formerSlugs[to, default: []].count < ImportItem.limitFormerSlugs
        else { return }
        formerSlugs[to, default: []].append(from)
    }

    /// The name that a path or its simple pattern ends with: `hello` of `^/2019/hello/?$`.
    private static func slug(_ path: String) -> String? {
        guard path.utf8.count <= limitPathBytes else { return nil }
        var path = path[...]
        if path.hasPrefix("^") { path = path.dropFirst() }
        for ending in ["$", "?", "/"] where path.hasSuffix(ending) { path = path.dropLast() }
        guard path.hasPrefix("/"), !path.contains(where: { "\\()[]*+?|.:".contains($0) }) else {
            return nil
        }
        return path.split(separator: "/").last.map { String($0).withoutPercentEncoding }
    }
}

extension GhostRedirects {
    /// Reads the file of redirects in the folder of an export, if there is one.
    ///
    /// - Throws: the reason why it cannot be read.
    static func beside(_ path: String) throws(ImportFault) -> GhostRedirects {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        for name in names {
            let path = folder + name
            let found: [UInt8]?
            do throws(SystemError) {
                found = try FileReader.bytes(of: path, limitBytes: limitBytes)
            } catch {
                if error.code == ENOENT { continue }
                throw ImportFault(path: path, line: nil, reason: error.reason)
            }
            guard let bytes = found else {
                throw ImportFault(
                    path: path, line: nil, reason: "is larger than \(limitBytes) bytes")
            }
            return try read(bytes, of: path)
        }
        return GhostRedirects()
    }

    private static func read(
        _ bytes: [UInt8], of path: String
    ) throws(ImportFault) -> GhostRedirects {
        if path.hasSuffix(".yaml") {
            do throws(FrontMatterError) { return try GhostRedirects(yaml: bytes) } catch {
                let reason = error.description(of: "the file")
                throw ImportFault(path: path, line: error.line, reason: reason)
            }
        }
        do throws(JSONSyntaxError) {
            return GhostRedirects(json: try JSONParser.parse(bytes))
        } catch {
            throw ImportFault(path: path, line: nil, reason: error.message)
        }
    }
}
