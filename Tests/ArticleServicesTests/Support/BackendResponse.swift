import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// A response of the backend as received from the socket.
struct BackendResponse {
    let status: Int
    let fields: HTTPFields
    let body: [UInt8]

    init(_ received: ReceivedResponse) {
        status = received.status
        fields = received.fields
        body = received.body
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The status, and for problems also the name and the locations of all errors: `?limit` is a
    /// parameter, `@If-Match` a header field, `/title` a pointer, `#` the whole body.
    ///
    /// `"422 invalid-values /title /tags/3"`
    var summary: String {
        guard status >= 400, !body.isEmpty else { return "\(status)" }
        guard let problem = try? Problem(mapping: body) else { return "\(status) no problem" }
        let places = problem.errors.map { detail in
            switch detail.place {
            case .parameter(let name)?: "?\(name)"
            case .header(let name)?: "@\(name)"
            case .pointer(let pointer)?: pointer.isEmpty ? "#" : pointer
            case nil: "-"
            }
        }
        return (["\(status)", problem.kind?.rawValue ?? problem.type] + places)
            .joined(separator: " ")
    }

    /// The revision in the entity tag.
    var revision: Int? {
        fields[.etag].flatMap { Int($0.dropFirst().prefix { $0 != "-" }) }
    }

    /// The version of the article or the author in the body.
    var version: String? {
        let parts = text.split(separator: #""version":""#, maxSplits: 1)
        return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }

    /// The body without versions, which are different in each database.
    var unversioned: String { text.replacing(/,"version":"[^"]*"/, with: "") }

    /// The target of the `Link` to the next page.
    var nextTarget: String? {
        WebLink.links(in: fields[.link] ?? "").first { $0.has(relation: "next") }?.target
    }

    /// Checks what must hold for every response.
    func check(_ line: String, _ method: HTTPMethod, secrets: [String]) {
        let everything = fields.all.map { "\($0.name): \($0.value)\n" }.joined() + text
        for secret in secrets {
            #expect(!occurs(secret, in: everything), "\(line): a secret was disclosed")
        }
        #expect(fields.contains(.xRequestID) && fields.contains(.date), "\(line)")
        if method == .head || status == 204 || status == 304 {
            #expect(body.isEmpty, "\(line)")
        }
        guard status >= 400 else { return }
        #expect(fields[.cacheControl] == "no-store", "\(line)")
        #expect(fields[.contentType] == "application/problem+json", "\(line)")
        guard method != .head else { return }
        do {
            let problem = try Problem(mapping: body)
            #expect(problem.status == status && problem.kind?.status == status, "\(line)")
            #expect(problem.instance == fields[.xRequestID], "\(line)")
            #expect(problem.detail?.isEmpty == false, "\(line)")
        } catch {
            Issue.record("\(line): \(error) in \(text)")
        }
    }
}
