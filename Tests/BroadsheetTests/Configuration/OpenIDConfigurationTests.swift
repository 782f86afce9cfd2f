import ArticleServices
import BroadsheetCommandLine
import BroadsheetHTTPClient
import BroadsheetSockets
import BroadsheetTestSupport
import Foundation
import Testing

@testable import ArticleAccounts
@testable import broadsheet

/// The providers with which people sign in, and the authorities that outgoing requests trust.
@Suite struct OpenIDConfigurationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func settings(
        _ arguments: [String], environment: [String: String] = [:], file: String = "{}"
    ) throws -> Settings {
        try Settings(
            options: ServeConfiguration.options, arguments: arguments, environment: environment
        ) { (_) throws(CommandFailure) in Array(file.utf8) }
    }

    private func names(
        _ providers: [String], environment: [String: String] = [:]
    ) throws -> [String] {
        let arguments = providers.flatMap { ["--oidc", $0] }
        return try OpenIDConfiguration(settings(arguments, environment: environment)).providers
            .map(\.name)
    }

    @Test func `there may be several providers, or none`() throws {
        #expect(try names([]) == [])
        let texts = ["apple=https://appleid.apple.com,org.a", "b=https://id.example.org/x,7"]
        #expect(try names(texts) == ["apple", "b"])
        let variable = ["BROADSHEET_OIDC": texts.joined(separator: ",")]
        #expect(try names([], environment: variable) == ["apple", "b"])
        let file = #"{"oidc":["apple=https://appleid.apple.com,org.a","c=https://c.test,1"]}"#
        let settings = try settings(["--config", "broadsheet.json"], file: file)
        #expect(try OpenIDConfiguration(settings).providers.map(\.name) == ["apple", "c"])
        #expect(try names((1...16).map { "a\($0)=https://a.test,b" }).count == 16)
    }

    @Test func `parties are taken from flags and from the variable`() throws {
        let texts = [
            "google=https://accounts.google.com,web,android,x:y", "b=https://b.test,api://7,z",
        ]
        let expected = try texts.map { try OpenIDProvider($0) }
        let flags = try settings(texts.flatMap { ["--oidc", $0] })
        #expect(try OpenIDConfiguration(flags).providers == expected)
        let variable = ["BROADSHEET_OIDC": texts.joined(separator: ",")]
        let environment = try settings([], environment: variable)
        #expect(try OpenIDConfiguration(environment).providers == expected)
    }

    @Test(arguments: [
        (
            ["a=https://a.test,b", "c"],
            #"--oidc: "c" must have the form name=issuer,audience[,party…]"#
        ),
        (["a=http://a.test,b"], #"--oidc: "a=http://a.test,b" has an invalid issuer: "#),
        (
            ["a=https://a.test,b", "a=https://b.test,c"],
            #"--oidc: the name "a" is given twice"#
        ),
        ((1...17).map { "a\($0)=https://a.test,b" }, "--oidc: there are more than 16 providers"),
    ])
    func `a wrong provider is rejected with the reason`(
        providers: [String], beginning: String
    ) throws {
        let failure = try #require(throws: CommandFailure.self) { try names(providers) }
        #expect(failure.status == .usage && failure.message.hasPrefix(beginning))
    }

    @Test func `an incomplete variable is rejected`() throws {
        for text in ["apple=https://appleid.apple.com", "a=https://a.test,b,c=https://c.test"] {
            let failure = try #require(throws: CommandFailure.self) {
                try names([], environment: ["BROADSHEET_OIDC": text])
            }
            #expect(failure.status == .configuration)
            #expect(failure.message.contains("must have the form name=issuer,audience"))
        }
    }

    @Test(arguments: [
        "apple=https:/appleid.apple.com", "apple=https:appleid.apple.com", "apple=", "x=y",
        "https:/appleid.apple.com", "apple:https://appleid.apple.com",
    ])
    func `a misspelt provider does not become a party of the one before`(text: String) throws {
        let value = "google=https://accounts.google.com,A,\(text),B"
        let flag = try #require(throws: CommandFailure.self) { try names([value]) }
        #expect(flag.status == .usage)
        let variable = try #require(throws: CommandFailure.self) {
            try names([], environment: ["BROADSHEET_OIDC": value])
        }
        #expect(variable.status == .configuration)
        for failure in [flag, variable] {
            #expect(failure.message.contains(#""google" has the invalid party "\#(text)""#))
        }
    }

    @Test func `outgoing requests trust the authorities of a file, or the system's`() throws {
        #expect(try OutboundConfiguration.connections(settings([])).tls == nil)
        let file = folder.file("ca.pem")
        let certificates = try TestCertificates()
        try Data(certificates.authority.certificatePEM.utf8).write(to: URL(filePath: file))
        let connections = try OutboundConfiguration.connections(settings(["--outbound-ca", file]))
        #expect(connections.tls != nil)
        try Data("no certificate".utf8).write(to: URL(filePath: file))
        let failure = try #require(throws: CommandFailure.self) {
            _ = try OutboundConfiguration.connections(settings(["--outbound-ca", file]))
        }
        #expect(failure.status == .configuration && failure.message.hasPrefix(file))
        let missing = try #require(throws: CommandFailure.self) {
            _ = try OutboundConfiguration.connections(settings(["--outbound-ca", file + "x"]))
        }
        #expect(missing.status == .noInput)
    }
}
