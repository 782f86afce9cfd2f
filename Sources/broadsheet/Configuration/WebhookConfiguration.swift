import ArticleConnectors
import ArticleServices
import BroadsheetCommandLine
import BroadsheetHTTP

/// The webhooks of `serve`.
struct WebhookConfiguration: Sendable {
    var receivers: [WebhookReceiver]

    static let options = [
        Option(
            "webhook", "URL",
            "URL that receives changes to public articles by POST: https, or http on this machine.",
            repeatable: true),
        Option(
            "webhook-secret-file", "FILE",
            "File that contains the secret that signs webhooks: 32 to 200 printable characters."),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        let values = settings.all("webhook")
        let secret = try settings.secret(inFile: "webhook-secret-file")
        receivers = []
        guard let first = values.first else { return }
        guard let secret else {
            throw Self.failure(first, "needs --webhook-secret-file, which signs the requests")
        }
        guard values.count <= Webhooks.limitReceivers else {
            throw Self.failure(first, "there are more than \(Webhooks.limitReceivers) URLs")
        }
        for (index, value) in values.enumerated() {
            // The URL is not repeated, since logs should not contain possible secrets.
            let receiver: WebhookReceiver
            do throws(HTTPURL.Fault) {
                receiver = try WebhookReceiver(value.text, secret: secret)
            } catch {
                throw Self.failure(value, "URL \(index + 1) \(error)")
            }
            guard !receivers.contains(where: { $0.url == receiver.url }) else {
                throw Self.failure(value, "URL \(index + 1) is given twice")
            }
            receivers.append(receiver)
        }
    }

    private static func failure(_ value: Settings.Value, _ text: String) -> CommandFailure {
        CommandFailure(
            value.origin.hasPrefix("--") ? .usage : .configuration, "\(value.origin): \(text)")
    }
}
