import ArticleAPI

extension Article {
    /// This article with a merge patch applied (RFC 7396 §2), as a draft of the new value.
    ///
    /// - Throws: `.invalid` with a pointer for each attribute that cannot be cleared.
    func applying(_ changes: Changes) throws(ServiceError) -> Draft {
        var draft = draft
        var faults: [Problem.Detail] = []
        draft.title = changes.title.applied(to: title, clearing: "/title", &faults)
        draft.slug = changes.slug.applied(to: slug, clearing: "/slug", &faults)
        draft.summary = changes.summary.applied(to: summary, cleared: "")
        draft.body = changes.body.applied(to: draft.body, cleared: "")
        draft.language = changes.language.applied(to: language, cleared: nil)
        draft.authors = changes.authors.applied(to: draft.authors, cleared: [])
        draft.tags = changes.tags.applied(to: draft.tags, cleared: [])
        draft.status = changes.status.applied(to: status, cleared: nil)
        draft.publishedAt = changes.publishedAt.applied(to: publishedAt, cleared: nil)
        draft.heroImage = merged(heroImage, changes.heroImage, &faults)
        draft.source = merged(source, changes.source, &faults)
        guard faults.isEmpty else { throw .invalid(faults) }
        return draft
    }

    private func merged(
        _ current: HeroImage?, _ change: Change<HeroImageChanges>,
        _ faults: inout [Problem.Detail]
    ) -> HeroImage? {
        switch change {
        case .keep: return current
        case .clear: return nil
        case .set(let changes):
            let pointer = "/heroImage/url"
            let url = changes.url.applied(to: current?.url ?? "", clearing: pointer, &faults)
            if current == nil, changes.url == .keep {
                faults.append(Problem.Detail("is missing", at: .pointer(pointer)))
            }
            return HeroImage(
                url: url,
                alternativeText: changes.alternativeText.applied(
                    to: current?.alternativeText, cleared: nil))
        }
    }

    private func merged(
        _ current: Source?, _ change: Change<SourceChanges>, _ faults: inout [Problem.Detail]
    ) -> Source? {
        switch change {
        case .keep: return current
        case .clear: return nil
        case .set(let changes):
            let pointer = "/source/name"
            let name = changes.name.applied(to: current?.name ?? "", clearing: pointer, &faults)
            if current == nil, changes.name == .keep {
                faults.append(Problem.Detail("is missing", at: .pointer(pointer)))
            }
            return Source(name: name, url: changes.url.applied(to: current?.url, cleared: nil))
        }
    }
}

extension Change {
    /// The new value, where clearing gives a default.
    fileprivate func applied<Result>(
        to current: Result, cleared: Result, _ wrap: (Value) -> Result
    ) -> Result {
        switch self {
        case .keep: current
        case .clear: cleared
        case .set(let value): wrap(value)
        }
    }

    fileprivate func applied(to current: Value, cleared: Value) -> Value {
        applied(to: current, cleared: cleared) { $0 }
    }

    fileprivate func applied(to current: Value?, cleared: Value?) -> Value? {
        applied(to: current, cleared: cleared) { $0 }
    }

    /// The new value, where clearing is a fault.
    fileprivate func applied(
        to current: Value, clearing pointer: String, _ faults: inout [Problem.Detail]
    ) -> Value {
        if case .clear = self {
            faults.append(Problem.Detail("cannot be null", at: .pointer(pointer)))
        }
        return applied(to: current, cleared: current)
    }
}
