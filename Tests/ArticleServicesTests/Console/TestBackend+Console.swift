import ArticleAPI
import BroadsheetHTTP
import Testing

@testable import ArticleOperations
@testable import ArticleServices

/// The way in which a browser reaches the backend.
enum BrowserAccess: String, CaseIterable, CustomTestStringConvertible {
    /// Over TLS, through the proxy that the backend trusts.
    case secure
    /// Over plain HTTP, from this machine.
    case local
    /// Over plain HTTP, from another machine.
    case exposed

    var fields: HTTPFields {
        switch self {
        case .secure: [.xForwardedFor: "203.0.113.9", .xForwardedProto: "https"]
        case .local: [:]
        case .exposed: [.xForwardedFor: "203.0.113.9", .xForwardedProto: "http"]
        }
    }

    var testDescription: String { rawValue }
}

extension TestBackend {
    static let signInLine = "POST /console/session"

    /// Sends what the console's own page sends.
    func browse(
        _ line: String, _ json: String? = nil, _ way: BrowserAccess = .secure,
        cookie: String? = nil,
        site: String? = "same-origin", with more: HTTPFields = HTTPFields()
    ) throws -> BackendResponse {
        var fields = way.fields
        fields.append(contentsOf: more)
        if let site { fields.append(.secFetchSite, site) }
        if let cookie { fields.append(.cookie, cookie) }
        return try send(line, as: .anonymous, json, with: fields)
    }

    /// Signs in over TLS, and returns the cookie as the browser sends it.
    func signInToConsole(_ json: String) throws -> String {
        let response = try browse(Self.signInLine, json)
        try #require(response.status == 201, "\(response.text)")
        return try response.cookie()
    }

    /// A request with which somebody signs in.
    func proof(of sender: Sender) throws -> String {
        #"{"key":"\#(try #require(keys.texts[sender]))"}"#
    }

    func proof(_ name: String, _ password: String = correctPassword) -> String {
        #"{"name":"\#(name)","password":"\#(password)"}"#
    }
}

extension BackendResponse {
    /// The cookie that the response sets, without its attributes.
    func cookie() throws -> String {
        let field = try #require(fields[.setCookie])
        return String(field.prefix { $0 != ";" })
    }

    func session() throws -> ConsoleSession {
        try ConsoleSession(strict: JSONParser.parse(body))
    }
}
