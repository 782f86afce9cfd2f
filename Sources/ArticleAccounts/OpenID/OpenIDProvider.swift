import BroadsheetHTTP

/// A provider of OpenID Connect that the operator trusts to identify people.
public struct OpenIDProvider: Sendable, Hashable {
    /// The name by which clients mention it.
    public let name: String
    /// The claim `iss` of its tokens; see `isIssuer`.
    let issuer: String
    /// The claim `aud`: the client's id at this provider.
    package let audience: String
    /// Other clients of this provider that may request tokens for the audience (`azp`).
    let parties: [String]
    /// The URL of its configuration (OpenID Connect Discovery 1.0 §4).
    let discovery: HTTPURL

    /// The fault of a provider's text.
    public enum Fault: Error, Hashable, CustomStringConvertible {
        case form, name, issuer, audience

        public var description: String {
            switch self {
            case .form: "must have the form name=issuer,audience[,party…]"
            case .name:
                "has an invalid name: 1 to 32 lower-case letters, digits and hyphens are allowed, "
                    + "and it must begin with a letter"
            case .issuer:
                "has an invalid issuer: it must be an https URL without user name, query and "
                    + "fragment"
            case .audience:
                "has an invalid audience or party: 1 to 255 printable ASCII characters are "
                    + "allowed, but no spaces and commas, and at most "
                    + "\(OpenIDProvider.limitParties) parties"
            }
        }
    }

    private static let limitParties = 16

    /// Parses `name=issuer,audience[,party…]`.
    public init(_ text: String) throws(Fault) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .form }
        let values = parts[1].split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0) }
        guard values.count >= 2 else { throw .form }
        name = String(parts[0])
        (issuer, audience) = (values[0], values[1])
        parties = Array(values.dropFirst(2))
        guard Self.isName(name) else { throw .name }
        // The path of the configuration comes after that of the issuer, without a final slash.
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        guard !issuer.contains("?"), Self.url(issuer) != nil,
            let discovery = Self.url(base + "/.well-known/openid-configuration")
        else { throw .issuer }
        self.discovery = discovery
        guard parties.count <= Self.limitParties, values.dropFirst().allSatisfy(Self.isClient)
        else { throw .audience }
    }

    /// Returns true if a token's `iss` names this provider: to the letter, except that some of
    /// Google's tokens omit the scheme.
    func isIssuer(_ text: String) -> Bool {
        text.hasBytes(of: issuer)
            || issuer == "https://accounts.google.com" && text.hasBytes(of: "accounts.google.com")
    }

    /// Returns true if this client may request tokens for the audience.
    func isParty(_ client: String) -> Bool {
        client.hasBytes(of: audience) || parties.contains { client.hasBytes(of: $0) }
    }

    /// The URL of a document of a provider: `https`.
    static func url(_ text: String) -> HTTPURL? {
        guard text.hasPrefix("https://") else { return nil }
        return try? HTTPURL(text)
    }

    private static func isClient(_ id: String) -> Bool {
        (1...255).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isName(_ name: String) -> Bool {
        guard (1...32).contains(name.utf8.count), let first = name.utf8.first,
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
        else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}
