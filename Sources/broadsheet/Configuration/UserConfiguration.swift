import ArticleServices

/// The part of the configuration of `serve` that concerns the accounts of users.
struct UserConfiguration: Sendable {
    let accounts: AccountConfiguration

    static let options = [
        Option(
            "sign-up", "WHO", "Who may create an account: open (everyone) or invitation.",
            default: AccountConfiguration.SignUp.invitation.rawValue),
        Option(
            "password-hashes", "N",
            "Number of passwords that are hashed at a time, each in 19 MiB.",
            default: "one per two cores"),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        let signUp: AccountConfiguration.SignUp = try settings.choice(
            "sign-up", default: .invitation)
        let hashes = try settings.parsed(
            "password-hashes", expecting: "a whole number from 1 to 64"
        ) {
            Int($0).flatMap { (1...64).contains($0) ? $0 : nil }
        }
        do {
            accounts = try AccountConfiguration(signUp: signUp, passwordHashes: hashes)
        } catch {
            throw CommandFailure(.software, "libsodium cannot be initialised")
        }
    }
}
