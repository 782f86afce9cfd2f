import ArticleAPI
import ArticleServices
import ArticleStore
import BroadsheetCommandLine

/// The part of the configuration of `serve` that concerns comments.
struct CommentConfiguration: Sendable {
    let rules: CommentRules

    static let options = [
        Option(
            "comments", "WHETHER",
            "Comments on articles without a policy of their own: open, moderated (editors approve "
                + "each) or closed.", default: CommentRules().policy.name),
        Option(
            "comment-edit-seconds", "SECONDS",
            "How long readers can edit a comment that they have written.",
            default: "\(CommentRules().editSeconds)"),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        var rules = CommentRules()
        let policy = try settings.parsed(
            "comments", expecting: "one of open, moderated, closed"
        ) { text in
            let policy = CommentPolicy(name: text)
            return policy == .unknown(text) ? nil : policy
        }
        rules.policy = policy ?? rules.policy
        rules.editSeconds = try settings.integer(
            "comment-edit-seconds", in: 0...31_536_000, default: rules.editSeconds)
        self.rules = rules
    }
}
