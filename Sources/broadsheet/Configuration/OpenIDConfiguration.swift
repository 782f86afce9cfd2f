import ArticleAccounts
import ArticleServices
import BroadsheetCommandLine

/// The providers of OpenID Connect with which people sign in to `serve`.
struct OpenIDConfiguration: Sendable {
    var providers: [OpenIDProvider]

    private static let option = Option(
        "oidc", "PROVIDER",
        "Provider of OpenID Connect for signing in, as name=issuer,audience[,party…].",
        repeatable: true)
    static let options = [option]

    init(_ settings: Settings) throws(CommandFailure) {
        let values = Self.values(settings)
        providers = []
        guard let first = values.first else { return }
        guard values.count <= OpenIDProviders.most else {
            throw Self.failure(first, "there are more than \(OpenIDProviders.most) providers")
        }
        for value in values {
            let provider: OpenIDProvider
            do throws(OpenIDProvider.Fault) { provider = try OpenIDProvider(value.text) } catch {
                throw Self.failure(value, "\"\(value.text)\" \(error)")
            }
            if let party = Self.suspectParty(value.text) {
                throw Self.failure(
                    value,
                    "\"\(provider.name)\" has the invalid party \"\(party)\": a party must not "
                        + "contain = or :/, and another provider must have the form "
                        + "name=https://…,audience[,party…]")
            }
            guard !providers.contains(where: { $0.name == provider.name }) else {
                throw Self.failure(value, "the name \"\(provider.name)\" is given twice")
            }
            providers.append(provider)
        }
    }

    /// In the environment variable, commas also separate providers: a text with a URL behind its
    /// first `=` begins one, and audience and parties follow.
    private static func values(_ settings: Settings) -> [Settings.Value] {
        var values: [Settings.Value] = []
        for value in settings.all(option.name) {
            if value.origin == option.variable, !isBeginning(value.text),
                let last = values.popLast()
            {
                values.append(
                    Settings.Value(text: "\(last.text),\(value.text)", origin: value.origin))
            } else {
                values.append(value)
            }
        }
        return values
    }

    private static func isBeginning(_ text: String) -> Bool {
        let parts = text.split(separator: "=", maxSplits: 1)
        return parts.count == 2 && parts[1].contains("://")
    }

    /// The first party that looks like a provider or an issuer: that of a misspelt provider would
    /// otherwise be trusted by the provider before it.
    private static func suspectParty(_ text: String) -> Substring? {
        text.split(separator: ",", omittingEmptySubsequences: false).dropFirst(2)
            .first { $0.contains("=") || $0.contains(":/") }
    }

    private static func failure(_ value: Settings.Value, _ text: String) -> CommandFailure {
        CommandFailure(
            value.origin.hasPrefix("--") ? .usage : .configuration, "\(value.origin): \(text)")
    }
}
