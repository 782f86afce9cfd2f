#if canImport(FoundationEssentials)
    // Without Foundation, the languages of the user are not known.
#else
    import Foundation
#endif

/// A language that presented texts exist in.
///
/// ```swift
/// let language = PresentationLanguage(preferring: ["fr-CA", "ko-KR", "en"])
/// ```
public enum PresentationLanguage: String, Sendable, Hashable, CaseIterable {
    case english = "en"
    case korean = "ko"

    /// The first of the reader's languages that texts exist in; English if there is none.
    ///
    /// A tag is shortened from the end until it matches (RFC 4647 §3.4): `ko-Hang-KR` gives
    /// Korean. `ko_KR`, as some platforms write it, is accepted too.
    ///
    /// - Parameter tags: BCP 47 tags, the preferred one first.
    public init(preferring tags: some Sequence<String>) {
        for tag in tags {
            // All languages here are primary subtags, so only the first one can match.
            let primary = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
            if let language = PresentationLanguage(rawValue: primary) {
                self = language
                return
            }
        }
        self = .english
    }

    /// The language in which the app is shown; on Linux, where that is not known, English.
    public static var current: PresentationLanguage {
        #if canImport(FoundationEssentials)
            .english
        #else
            PresentationLanguage(preferring: Bundle.main.preferredLocalizations)
        #endif
    }

    /// The text of a key with its arguments.
    ///
    /// A plural is chosen by the first number among them, as CLDR's rules for cardinals say: in
    /// English `one` is 1; Korean has only `other`.
    func phrase(_ key: PhraseKey, _ arguments: any PhraseArgument...) -> String {
        text(of: key, with: arguments)
    }

    /// The same for another catalogue.
    func text<Key: PhraseTable>(of key: Key, with arguments: [any PhraseArgument]) -> String {
        let phrases =
            switch self {
            case .english: Key.english
            case .korean: Key.korean
            }
        switch phrases[key.rawValue] {
        case .text(let format): return format.filled(with: arguments)
        case .plural(let one, let other):
            let count = arguments.lazy.compactMap { $0 as? Int }.first
            let isOne = self == .english && count == 1
            return (isOne ? one : other).filled(with: arguments)
        }
    }
}

/// The keys of a string catalogue, by their place in its phrases.
protocol PhraseTable: RawRepresentable<Int> {
    static var english: [Phrase] { get }
    static var korean: [Phrase] { get }
}

extension PhraseKey: PhraseTable {}

/// A value for `%1$@` or `%1$lld` in a phrase.
protocol PhraseArgument { var phraseText: String { get } }

extension String: PhraseArgument { var phraseText: String { self } }

extension Int: PhraseArgument { var phraseText: String { "\(self)" } }

/// An entry of the string catalogue in one language.
enum Phrase: Equatable {
    case text(String)
    case plural(one: String, other: String)
}

extension String {
    /// This format with `%1$@` and `%1$lld` replaced by arguments, and `%%` by `%`.
    ///
    /// Arguments are inserted as they are: a `%` in a name means nothing.
    fileprivate func filled(with arguments: [any PhraseArgument]) -> String {
        var result = ""
        var rest = self[...]
        // Invariant: the text before `rest` is in `result`, with its arguments.
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[percent...].dropFirst()
            if rest.first == "%" {
                result += "%"
                rest = rest.dropFirst()
                continue
            }
            let number = Int(rest.prefix { $0 != "$" }) ?? 0
            if arguments.indices.contains(number - 1) {
                result += arguments[number - 1].phraseText
            }
            rest = rest.drop { $0 != "$" }.dropFirst()
            rest = rest.dropFirst(rest.first == "@" ? 1 : 3)
        }
        return result + rest
    }
}
