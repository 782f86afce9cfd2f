import ArticleServices

/// The providers of OpenID Connect with which people sign in to `serve`.
struct OpenIDConfiguration: Sendable {
    var providers: [OpenIDProvider]

    private static let option = Option(
        "oidc", "PROVIDER",
        "Provider of OpenID Connect for signing in, as name=issuer,audience.", repeatable: true)
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
            guard !providers.contains(where: { $0.name == provider.name }) else {
                throw Self.failure(value, "the name \"\(provider.name)\" is there twice")
            }
            providers.append(provider)
        }
    }

    /// In the environment variable, commas also separate providers: two texts are one provider.
    private static func values(_ settings: Settings) -> [Settings.Value] {
        var values: [Settings.Value] = []
        var rest = settings.all(option.name)[...]
        while let value = rest.popFirst() {
            if value.origin == option.variable, let audience = rest.popFirst() {
                values.append(
                    Settings.Value(
                        text: "\(value.text),\(audience.text)", origin: value.origin))
            } else {
                values.append(value)
            }
        }
        return values
    }

    private static func failure(_ value: Settings.Value, _ text: String) -> CommandFailure {
        CommandFailure(
            value.origin.hasPrefix("--") ? .usage : .configuration, "\(value.origin): \(text)")
    }
}
