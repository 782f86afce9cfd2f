#if canImport(FoundationEssentials)
    /// An error with texts for an app's user.
    ///
    /// All public errors of the SDK have them. On Apple's platforms they are `LocalizedError`s, so
    /// that alerts show the texts, too. An error of an app's own, such as that of its transport,
    /// can conform as well.
    ///
    /// ```swift
    /// let text = error.text(for: .save, in: .korean)
    /// let alert = "\(text.title): \(text.message) \(text.advice)"
    /// let offersRetry = text.retry == .now
    /// ```
    public protocol UserFacingError: Error {
        /// The texts about the error in this language, for what the user wanted to do.
        func text(
            for purpose: ErrorText.Purpose, in language: PresentationLanguage
        ) -> ErrorText
    }
#else
    public import Foundation

    /// An error with texts for an app's user. See ``ErrorText``.
    public protocol UserFacingError: LocalizedError {
        func text(
            for purpose: ErrorText.Purpose, in language: PresentationLanguage
        ) -> ErrorText
    }

    // Files that do not import Foundation do not see its defaults.
    extension UserFacingError {
        public var failureReason: String? { nil }
        public var helpAnchor: String? { nil }
    }
#endif

extension UserFacingError {
    /// Texts that say that the error is unexpected.
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        ErrorText(.unexpected, for: purpose, in: language)
    }

    /// The texts about the error in the language of the app.
    public func text(for purpose: ErrorText.Purpose = .load) -> ErrorText {
        text(for: purpose, in: .current)
    }

    /// A sentence for the app's user, in the language of the app.
    public var errorDescription: String? { text().message }

    /// A sentence about what the app's user can do, in the language of the app.
    public var recoverySuggestion: String? { text().advice }

    /// The same as `errorDescription`, as on Apple's platforms, but without linking Foundation.
    public var localizedDescription: String { text().message }
}

/// The texts about an error for an app's user, and the time for another attempt.
///
/// They name no pointers, statuses or header fields; an error's `description` does, for logs.
///
/// ```swift
/// func alert(_ error: any Error) -> (title: String, text: String, offersRetry: Bool) {
///     let text = ErrorText(error, for: .comment)
///     return (text.title, "\(text.message) \(text.advice)", text.retry == .now)
/// }
/// ```
public struct ErrorText: Sendable, Hashable {
    /// The intention that has failed, for the title of an alert: `Could not save`.
    public var title: String
    /// The reason, in a sentence.
    public var message: String
    /// The remedy, in a sentence or two.
    public var advice: String
    public var retry: Retry

    /// The time at which the same may succeed.
    public enum Retry: Sendable, Hashable {
        /// Never, unless the user or the app changes something, as the advice says.
        case never
        case now
        /// After this delay, for which the server has asked.
        case after(Duration)
        /// Once the device is online, or on another network.
        case online
        case afterSignIn
    }

    /// The intention of the user.
    public enum Purpose: Sendable, Hashable, CaseIterable {
        /// To read something.
        case load
        case signIn
        case signUp
        /// To create, change or delete something.
        case save
        /// To write, change or delete a comment.
        case comment
    }

    public init(title: String, message: String, advice: String, retry: Retry) {
        self.title = title
        self.message = message
        self.advice = advice
        self.retry = retry
    }

    /// The texts about any error. One that is not a ``UserFacingError`` is unexpected.
    public init(
        _ error: any Error, for purpose: Purpose = .load,
        in language: PresentationLanguage = .current
    ) {
        if let error = error as? any UserFacingError {
            self = error.text(for: purpose, in: language)
        } else {
            let isCancelled = error is CancellationError
            self.init(isCancelled ? .cancelled : .unexpected, for: purpose, in: language)
        }
    }

    package init(_ cause: ErrorCause, for purpose: Purpose, in language: PresentationLanguage) {
        let field = cause.field.map { language.phrase($0) } ?? ""
        let delay = if case .after(let delay) = cause.retry { delay } else { Duration.zero }
        self.init(
            title: language.phrase(purpose.title),
            message: language.phrase(cause.message, field, cause.limit),
            advice: language.phrase(cause.advice, language.length(of: delay)),
            retry: cause.retry)
    }
}

extension ErrorText.Purpose {
    fileprivate var title: ErrorPhrase {
        switch self {
        case .load: .titleLoad
        case .signIn: .titleSignIn
        case .signUp: .titleSignUp
        case .save: .titleSave
        case .comment: .titleComment
        }
    }
}

extension PresentationLanguage {
    fileprivate func phrase(_ key: ErrorPhrase, _ arguments: any PhraseArgument...) -> String {
        text(of: key, with: arguments)
    }

    /// `30 seconds`, `2 hours`: rounded up, in the largest unit of which there are at least 1.5.
    fileprivate func length(of delay: Duration) -> String {
        let (seconds, rest) = delay.components
        let count = Int(clamping: seconds) + (rest > 0 ? 1 : 0)
        func whole(_ unit: Int) -> Int { count / unit + (count % unit > 0 ? 1 : 0) }
        return switch count {
        case ..<90: phrase(.waitSeconds, max(count, 1))
        case ..<5_400: phrase(.waitMinutes, whole(60))
        case ..<129_600: phrase(.waitHours, whole(3_600))
        default: phrase(.waitDays, whole(86_400))
        }
    }
}
