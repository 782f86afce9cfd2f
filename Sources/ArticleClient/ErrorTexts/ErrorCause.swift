/// A reason for errors as people understand it: its phrases in the catalogue, and the time for
/// another attempt.
package struct ErrorCause {
    let message: ErrorPhrase
    let advice: ErrorPhrase
    let retry: ErrorText.Retry
    /// The field of a form that the message is about.
    var field: ErrorPhrase?
    /// The limit of the field's length.
    var limit = 0

    package init(_ message: ErrorPhrase, _ advice: ErrorPhrase, _ retry: ErrorText.Retry) {
        self.message = message
        self.advice = advice
        self.retry = retry
    }

    /// A fault of a server that may be over after a delay.
    ///
    /// - Parameter delay: the delay for which the server asks.
    init(_ message: ErrorPhrase, over delay: Duration?) {
        let isShort = delay.map { $0 < .seconds(10) } ?? false
        self.init(
            message, delay == nil ? .againLater : isShort ? .againSoon : .againIn,
            delay.map { .after($0) } ?? .now)
    }

    package static let cancelled = ErrorCause(.cancelled, .cancelledAdvice, .now)
    static let unexpected = ErrorCause(.unexpected, .againAdvice, .now)
    /// The app and the server have different contracts.
    static let outdated = ErrorCause(.outdated, .updateAdvice, .never)
    static let unreadable = ErrorCause(.unreadable, .updateAdvice, .never)
    package static let signIn = ErrorCause(.signIn, .signInAdvice, .afterSignIn)
    static let timedOut = ErrorCause(.timedOut, .timedOutAdvice, .now)
    static let offline = ErrorCause(.offline, .offlineAdvice, .online)
    /// Something between the app and the server has responded.
    static let network = ErrorCause(.network, .networkAdvice, .online)
    static let changed = ErrorCause(.changed, .changedAdvice, .never)
}

extension ErrorPhrase: PhraseTable {}
