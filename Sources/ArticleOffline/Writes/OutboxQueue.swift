public import ArticleAPI

/// The writes that have not reached the backend, in their order.
///
/// It decides; it does not send and does not store. Each function returns an ``Edit``, which has to
/// be stored before anything else is done: then every write survives the end of the process at any
/// time, and none is carried out twice. The writes of one article are sent one after the other, and
/// so are requests of one order; all others independently.
///
/// ```swift
/// var queue = OutboxQueue(storedEntries)
/// let added = queue.add(
///     .update(changes), to: article.id, base: article, account: "ada", key: "key-1", at: now)
/// let began = queue.begin(added.stored[0].number, at: now)
/// let finished = queue.finish(1, .applied(response), newKey: "key-2", retryAt: nil)
/// ```
public struct OutboxQueue: Sendable, Hashable {
    /// In the order of their numbers.
    public internal(set) var entries: [OutboxEntry]
    private var lastNumber: Int

    /// The changes that a store has to write in one transaction.
    public struct Edit: Sendable, Hashable {
        /// New and changed entries.
        public var stored: [OutboxEntry]
        /// Entries that are no longer needed, as they were.
        public var removed: [OutboxEntry]

        public var isEmpty: Bool { stored.isEmpty && removed.isEmpty }
    }

    /// The time for which backends remember keys, less an hour, because clocks differ.
    public static let keyLifetime = Duration.seconds(23 * 3_600)

    /// - Parameters:
    ///   - stored: the entries that a store has kept. An attempt that was not finished has no
    ///     response; the entry is sent again with the same key.
    ///   - number: a number that new entries have to exceed.
    public init(_ stored: some Sequence<OutboxEntry> = [], after number: Int = 0) {
        entries = stored.sorted { $0.number < $1.number }
        lastNumber = max(number, entries.last?.number ?? 0)
        for index in entries.indices where entries[index].status == .sending {
            entries[index].status = .waiting(until: nil)
        }
    }

    // MARK: Adding

    /// Adds a write. It becomes one with an earlier one that the backend cannot have seen.
    ///
    /// - Parameters:
    ///   - write: the write.
    ///   - article: the article's id.
    ///   - base: the article as its user saw it; `nil` if the write creates it.
    ///   - account: the account of the user.
    ///   - key: a new key, which was never used.
    ///   - time: the current time.
    public mutating func add(
        _ write: PendingWrite, to article: Article.ID, base: Article?, account: String,
        key: String, at time: Timestamp
    ) -> Edit {
        edit { queue in
            if let last = queue.lastEntry(of: article), queue.entries[last].isOpen(to: account),
                let folded = queue.entries[last].folded(with: write, seeing: base)
            {
                queue.replace(at: last, by: folded, key: key)
                return
            }
            if case .update(let changes) = write, let base,
                let edited = base.edited(by: changes),
                Article.Changes(from: base, to: edited).isEmpty
            {
                return
            }
            queue.append(write, to: article, base: base, account: account, key: key, at: time)
        }
    }

    /// Adds a request. It replaces unsent ones of the same key.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - account: the account of the user.
    ///   - key: a new key, which was never used.
    ///   - time: the current time.
    mutating func add(
        _ request: PendingRequest, account: String, key: String, at time: Timestamp
    ) -> Edit {
        edit { queue in
            if let replaced = request.replaces {
                queue.entries.removeAll {
                    $0.account == account && $0.write.request?.replaces == replaced
                        && $0.status != .sending
                }
            }
            queue.append(
                .request(request), to: request.article, base: nil, account: account, key: key,
                at: time)
        }
    }

    /// Returns true if a later request replaces this one.
    func isReplaced(_ index: Int) -> Bool {
        let entry = entries[index]
        guard let key = entry.write.request?.replaces else { return false }
        return entries[(index + 1)...].contains {
            $0.account == entry.account && $0.write.request?.replaces == key
        }
    }

    mutating func append(
        _ write: PendingWrite, to article: Article.ID?, base: Article?, account: String,
        key: String, at time: Timestamp
    ) {
        lastNumber += 1
        entries.append(
            OutboxEntry(
                number: lastNumber, article: article, write: write, base: base, key: key,
                account: account, createdAt: time))
    }

    /// Replaces an unseen write by the combination of it and a later one.
    mutating func replace(at index: Int, by folded: PendingWrite.Folded, key: String) {
        switch folded {
        case .write(let write):
            let entry = entries[index]
            entries[index].restart(
                with: write, on: entry.base, key: key, isRebased: entry.isRebased)
        case .nothing: entries.remove(at: index)
        }
    }

    /// The article's last write. A rejected edit has been taken back, and its user sees the article
    /// without it; but a correction of an article that could not be created belongs to it.
    private func lastEntry(of article: Article.ID) -> Int? {
        entries.lastIndex {
            $0.isEdit && $0.article == article && (!$0.isRejected || $0.isCreation)
        }
    }

    // MARK: Sending

    /// The writes that can be sent now, the oldest first: at most one for each article or order.
    public func sendable(at time: Timestamp) -> [OutboxEntry] {
        heads.filter { entry in
            guard case .waiting(let until) = entry.status else { return false }
            guard !entry.mightBeRepeated(at: time) else { return false }
            // A clock that was set back must not delay a write for longer than the rest lasts.
            guard let until, time < until else { return true }
            return until > time.advanced(byMilliseconds: Self.limitWait)
        }
    }

    /// Returns the time at which the next write can be sent that has to wait; `nil` if none has to.
    public func nextTime(after time: Timestamp) -> Timestamp? {
        heads.compactMap { entry in
            guard case .waiting(let until?) = entry.status, until > time else { return nil }
            return until
        }.min()
    }

    /// Lets writes that wait for a later time be sent at once.
    public mutating func hurry() -> Edit {
        edit { queue in
            for index in queue.entries.indices {
                guard case .waiting(_?) = queue.entries[index].status else { continue }
                queue.entries[index].status = .waiting(until: nil)
            }
        }
    }

    /// Finds the writes whose keys the backend may have forgotten, and which it might carry out
    /// twice without them; their users are to decide.
    public mutating func expire(at time: Timestamp) -> Edit {
        edit { queue in
            for index in queue.entries.indices {
                guard case .waiting = queue.entries[index].status,
                    queue.entries[index].mightBeRepeated(at: time)
                else { continue }
                queue.entries[index].status = .needsConfirmation
            }
        }
    }

    /// Begins an attempt to send a write; `nil` if it cannot be sent now. The request may leave
    /// once the edit is stored.
    public mutating func begin(_ number: Int, at time: Timestamp) -> Edit? {
        guard sendable(at: time).contains(where: { $0.number == number }),
            let index = index(of: number)
        else { return nil }
        return edit { queue in
            queue.entries[index].firstSentAt = queue.entries[index].firstSentAt ?? time
            queue.entries[index].attempts += 1
            queue.entries[index].openAttempts += 1
            queue.entries[index].status = .sending
        }
    }

    private static let limitWait: Int64 = 3_600_000

    // MARK: Parts

    /// For each article and order, the first write that the backend has not rejected, unless
    /// another one is being sent. Comments on an article, and bookmarks, wait until that was
    /// created.
    private var heads: [OutboxEntry] {
        var seen = Set(entries.lazy.filter { $0.status == .sending }.map(\.lane))
        let uncreated = Set(entries.lazy.filter(\.isCreation).compactMap(\.article))
        return entries.filter { entry in
            guard !entry.isRejected else { return false }
            if !entry.isEdit, let article = entry.article, uncreated.contains(article) {
                return false
            }
            return seen.insert(entry.lane).inserted
        }
    }

    func index(of number: Int) -> Int? { entries.firstIndex { $0.number == number } }

    public subscript(number: Int) -> OutboxEntry? { index(of: number).map { entries[$0] } }

    /// The article's next write after this one that the backend has not rejected.
    func successor(of entry: OutboxEntry) -> Int? {
        guard entry.isEdit else { return nil }
        return entries.firstIndex {
            $0.isEdit && $0.article == entry.article && $0.number > entry.number && !$0.isRejected
        }
    }

    /// Changes the queue, and returns the changes for a store.
    mutating func edit(_ change: (inout OutboxQueue) -> Void) -> Edit {
        let before = entries
        change(&self)
        let former = Dictionary(uniqueKeysWithValues: before.map { ($0.number, $0) })
        let numbers = Set(entries.map(\.number))
        return Edit(
            stored: entries.filter { former[$0.number] != $0 },
            removed: before.filter { !numbers.contains($0.number) })
    }
}

extension OutboxEntry {
    /// Returns true if a later write can become part of this one.
    fileprivate func isOpen(to account: String) -> Bool {
        guard isUnseen, self.account == account else { return false }
        return switch status {
        case .waiting, .rejected: true
        case .sending, .conflict, .needsConfirmation: false
        }
    }

    /// Returns true if the backend might carry out the write twice, because it may have carried it
    /// out and forgotten its key; also if the clock was set back by more than an hour, so that the
    /// age is not known. An id is created once, a version (`If-Match`) is changed once, and PUT and
    /// DELETE do the same again: such writes need no key.
    fileprivate func mightBeRepeated(at time: Timestamp) -> Bool {
        guard openAttempts > 0, let firstSentAt else { return false }
        let needsKey = write.request?.expires ?? (!isCreation && base?.version == nil)
        guard needsKey else { return false }
        let age = time.milliseconds - firstSentAt.milliseconds
        let lifetime = OutboxQueue.keyLifetime.components.seconds * 1_000
        return !(-3_600_000..<lifetime).contains(age)
    }
}
