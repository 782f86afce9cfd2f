import ArticleAccounts
import ArticleServices
import BroadsheetCommandLine

/// The part of the configuration of `serve` that concerns the accounts of users.
struct UserConfiguration: Sendable {
    let accounts: AccountConfiguration

    static let options = [
        Option(
            "sign-up", "WHO", "Who may create an account: open (everyone) or invitation.",
            default: AccountConfiguration.SignUp.invitation.rawValue),
        Option(
            "sign-ups-per-hour", "N",
            "Maximum number of accounts created per address and hour.",
            default: "\(AccountConfiguration.defaultSignUpsPerHour)"),
        Option(
            "password-hashes", "N",
            "Number of passwords hashed concurrently, each using 19 MiB.",
            default: "one per two cores"),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        let signUp: AccountConfiguration.SignUp = try settings.choice(
            "sign-up", default: .invitation)
        let perHour = try settings.integer(
            "sign-ups-per-hour", in: 1...100_000,
            default: AccountConfiguration.defaultSignUpsPerHour)
        let hashes = try settings.parsed(
            "password-hashes", expecting: "a whole number from 1 to 64"
        ) {
            Int($0).flatMap { (1...64).contains($0) ? $0 : nil }
        }
        do {
            var accounts = try AccountConfiguration(signUp: signUp, passwordHashes: hashes)
            accounts.signUpsPerHour = perHour
            self.accounts = accounts
        } catch {
            throw CommandFailure(.software, "libsodium cannot be initialised")
        }
    }
}
