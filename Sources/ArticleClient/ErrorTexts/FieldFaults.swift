import ArticleAPI

/// Faults of what a user has entered, by field.
extension ErrorCause {
    /// The first fault in a field of a form.
    init?(_ faults: [Problem.Detail], for purpose: ErrorText.Purpose) {
        for fault in faults {
            guard case .pointer(let pointer)? = fault.place, !pointer.isEmpty else { continue }
            self.init(fault.detail, in: Self.field(at: pointer, purpose))
            return
        }
        return nil
    }

    /// - Parameter words: the fault as the contract describes it. Other words, of a newer contract,
    ///   are not shown: they may not be for people.
    private init(_ words: String, in field: ErrorPhrase) {
        let number = words.split(separator: " ").lazy.compactMap { Int($0) }.first
        let isEmpty = ["is missing", "is empty", "is blank", "cannot be null", "does not contain"]
            .contains(where: words.hasPrefix)
        switch words {
        case _ where words.hasPrefix("is longer than") && words.hasSuffix("characters"):
            self.init(.faultLong, .faultLongAdvice, .never)
        case _ where words.hasPrefix("is longer than"):
            self.init(.faultBytes, .faultLongAdvice, .never)
        case _ where words.hasPrefix("is shorter than"):
            self.init(.faultShort, .faultShortAdvice, .never)
        case _ where isEmpty: self.init(.faultEmpty, .faultEmptyAdvice, .never)
        case "is wrong": self.init(.faultWrong, .faultWrongAdvice, .never)
        case "is one of the most common passwords", "is the name of the account":
            self.init(.faultCommon, .faultCommonAdvice, .never)
        case _ where field == .fieldInvitation:
            self.init(.faultInvitation, .faultInvitationAdvice, .never)
        default: self.init(.faultOther, .faultOtherAdvice, .never)
        }
        self.field = field
        limit = number ?? 0
    }

    /// The name of the field that a JSON pointer is in.
    private static func field(at pointer: String, _ purpose: ErrorText.Purpose) -> ErrorPhrase {
        switch pointer.split(separator: "/").first {
        case "title": .fieldTitle
        case "body": purpose == .comment ? .fieldComment : .fieldBody
        case "summary": .fieldSummary
        case "slug": .fieldSlug
        case "tags": .fieldTags
        case "authors": .fieldAuthors
        case "language": .fieldLanguage
        case "heroImage": .fieldImage
        case "publishedAt", "expiresAt": .fieldTime
        case "name": .fieldName
        case "displayName": .fieldDisplayName
        case "password": .fieldPassword
        case "current": .fieldCurrent
        case "invitation": .fieldInvitation
        default: .fieldOther
        }
    }
}
