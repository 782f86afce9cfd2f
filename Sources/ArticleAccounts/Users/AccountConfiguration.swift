/// The permission to sign up, and the hashing of passwords.
public struct AccountConfiguration: Sendable {
    /// The permission to create an account.
    public enum SignUp: String, Sendable, CaseIterable {
        /// Everyone.
        case open
        /// Those who have an invitation.
        case invitation
    }

    public var signUp: SignUp
    /// The maximum accounts that an address can create in an hour.
    public var signUpsPerHour = AccountConfiguration.defaultSignUpsPerHour
    package let hasher: PasswordHasher
    /// Limits attempts to sign in; `nil` for the default.
    package let throttle: SignInThrottle?

    public static let defaultSignUpsPerHour = 10

    /// - Parameters:
    ///   - signUp: The permission to create an account.
    ///   - passwordHashes: The maximum passwords hashed at a time; `nil` for one per two cores.
    package init(
        signUp: SignUp = .invitation, passwordHashes: Int? = nil
    ) throws(PasswordHasher.Unavailable) {
        self.init(
            signUp: signUp,
            hasher: try PasswordHasher(width: passwordHashes ?? PasswordHasher.defaultWidth))
    }

    init(signUp: SignUp, hasher: PasswordHasher, throttle: SignInThrottle? = nil) {
        self.signUp = signUp
        self.hasher = hasher
        self.throttle = throttle
    }
}
