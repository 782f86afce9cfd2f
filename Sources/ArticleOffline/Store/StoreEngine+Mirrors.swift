import ArticleAPI
import BroadsheetSQLite

/// Mirrors: which models they consist of, and where they are.
extension StoreEngine {
    private struct Row {
        let number: Int64
        let generation: Int64
        var mirror: StoredMirror
    }

    func mirror(_ name: String) throws(OfflineError) -> StoredMirror? {
        guard var found = try row(name)?.mirror else { return nil }
        let row = try connection.statement(
            """
            SELECT count(*) FROM members JOIN mirrors ON mirrors.number = members.mirror
            WHERE mirrors.name = ?1 AND members.kind = ?2
            AND members.generation IN (mirrors.generation, -1)
            """)
        try row.bind(1, name)
        try row.bind(2, StoreSchema.articleKind)
        if try row.step() { found.members = row.number(0) }
        return found
    }

    private func row(_ name: String) throws(OfflineError) -> Row? {
        let row = try connection.statement(
            "SELECT number, generation, filter, token, complete FROM mirrors WHERE name = ?1")
        try row.bind(1, name)
        guard try row.step() else { return nil }
        return Row(
            number: row.integer(0), generation: row.integer(1),
            mirror: StoredMirror(
                filter: row.text(2), token: row.optionalText(3), isComplete: row.integer(4) != 0,
                members: 0))
    }

    // MARK: In a transaction

    /// Begins a mirror, or continues it. With another filter than before it fetches a new snapshot,
    /// perhaps of another history: no token is sent by which the backend would report that.
    func beginMirror(
        _ name: String, filter: String, at time: Timestamp
    ) throws(OfflineError) {
        let former = try row(name)?.mirror.filter
        if former == filter { return }
        let row = try connection.statement(
            """
            INSERT INTO mirrors (name, filter, token, generation, complete)
            VALUES (?1, ?2, NULL, 0, 0)
            ON CONFLICT (name) DO UPDATE SET filter = ?2
            """)
        try row.bind(1, name)
        try row.bind(2, filter)
        try row.run()
        if former != nil { try restart(name, at: time) } else { note(.mirror(name)) }
    }

    /// Discards the token. The mirror's articles remain until a new snapshot is complete.
    ///
    /// - Returns: `false` if it is not at the position.
    func restartMirror(
        _ name: String, from position: MirrorPosition?, at time: Timestamp
    ) throws(OfflineError) -> Bool {
        guard try isMirror(self.row(name), at: position) else { return false }
        try restart(name, at: time)
        return true
    }

    private func restart(_ name: String, at time: Timestamp) throws(OfflineError) {
        let row = try connection.statement(
            """
            UPDATE mirrors SET token = NULL, generation = generation + 1, complete = 0
            WHERE name = ?1
            """)
        try row.bind(1, name)
        try row.run()
        // The history may be another one, whose revisions are lower.
        try Tombstone.forgetAll(in: connection)
        resetAt = time
        note(.mirror(name))
    }

    /// Marks the article, which a write of the outbox has changed, as unconfirmed in the mirrors
    /// that contain it. Their next pages have to contain the change: a backend whose database was
    /// set back may have lost it, while a token from before it remains valid.
    func awaitConfirmation(of article: ModelKey) throws(OfflineError) {
        let row = try connection.statement(
            """
            UPDATE members SET generation = -1 WHERE kind = ?1 AND id = ?2
            AND mirror IN (SELECT number FROM mirrors WHERE complete = 1)
            """)
        try row.bind(1, StoreSchema.articleKind)
        try row.bind(2, article.id)
        try row.run()
    }

    /// Returns true if an article still awaits confirmation of a change from before this time, when
    /// the last page was requested.
    private func lacksConfirmation(
        _ mirror: Row, asOf time: Timestamp
    ) throws(OfflineError) -> Bool {
        let row = try connection.statement(
            """
            SELECT 1 FROM members m
            LEFT JOIN models x ON x.kind = m.kind AND x.id = m.id
            LEFT JOIN endings e ON e.kind = m.kind AND e.id = m.id
            WHERE m.mirror = ?1 AND m.generation = -1 AND coalesce(x.seen, e.time, 0) < ?2
            LIMIT 1
            """)
        try row.bind(1, mirror.number)
        try row.bind(2, time)
        return try row.step()
    }

    private func isMirror(_ row: Row?, at position: MirrorPosition?) -> Bool {
        guard let row else { return false }
        return position.map { $0 == MirrorPosition(row.mirror) } ?? true
    }

    /// Ends a mirror. Its articles stay until there are too many.
    func removeMirror(_ name: String) throws(OfflineError) {
        guard let mirror = try row(name) else { return }
        let members = try connection.statement("DELETE FROM members WHERE mirror = ?1")
        try members.bind(1, mirror.number)
        try members.run()
        let row = try connection.statement("DELETE FROM mirrors WHERE number = ?1")
        try row.bind(1, mirror.number)
        try row.run()
        note(.mirror(name))
    }

    /// Stores the page with its token.
    ///
    /// - Returns: `false` if the mirror is not where the page begins, or needs a new snapshot since
    ///   the page lacks a write of the outbox.
    func apply(
        _ page: MirrorPage, to name: String, at time: Timestamp
    ) throws(OfflineError) -> Bool {
        guard let mirror = try row(name), isMirror(mirror, at: page.position) else { return false }
        if mirror.mirror.token == nil {
            // The history may be another one, in which authors have lower revisions.
            try names.removeAll(from: connection)
            noteEverything()
        }
        for change in page.page.changes {
            let update = change.update(
                knowing: page.known, isFiltered: page.isFiltered, seenAt: page.seenAt)
            if let update { try apply(update.content, to: mirror, at: time) }
        }
        let isComplete = mirror.mirror.isComplete || !page.page.more
        let row = try connection.statement(
            "UPDATE mirrors SET token = ?2, complete = ?3 WHERE number = ?1")
        try row.bind(1, mirror.number)
        try row.bind(2, page.page.next)
        try row.bind(3, isComplete ? 1 : 0)
        try row.run()
        if isComplete, !mirror.mirror.isComplete { try removeFormerMembers(of: mirror) }
        if isComplete, let whole = page.whole { try removeUnlisted(whole, at: time) }
        note(.mirror(name))
        if mirror.mirror.isComplete, !page.page.more, let requestedAt = page.requestedAt,
            try lacksConfirmation(mirror, asOf: requestedAt)
        {
            try restart(name, at: time)
            return false
        }
        return true
    }

    private func apply(
        _ update: any UpdateContent, to mirror: Row, at time: Timestamp
    ) throws(OfflineError) {
        // A new snapshot may also be of another history.
        let isRestart = mirror.generation > 0 && !mirror.mirror.isComplete
        let context = MergeContext(time: time, isRestart: isRestart)
        guard let id = update.key?.id else { return try update.merge(into: self, context) }
        let kind = try update.kind(in: self)
        if !update.isRemoval, !mirror.mirror.isComplete {
            // A model that is a member when its row is made need not be changed to stay.
            try add(id, kind, to: mirror, isConfirmed: true)
            return try update.merge(into: self, context)
        }
        try update.merge(into: self, context)
        if update.isRemoval { return try remove(id, kind, from: mirror) }
        var isConfirmed = true
        if let article = update as? FactsUpdate<Article> {
            isConfirmed = try isCurrent(article.facts)
        }
        try add(id, kind, to: mirror, isConfirmed: isConfirmed)
    }

    /// Returns true if the merged version is the newest known one: an older version does not
    /// confirm the response to the outbox.
    private func isCurrent(_ facts: ModelFacts<Article>) throws(OfflineError) -> Bool {
        let version = facts.value(of: "version")
        if version.isEmpty { return true }
        return try articles.facts(facts.id, in: connection)?.value(of: "version") == version
    }

    private func add(
        _ id: [UInt8], _ kind: Int, to mirror: Row, isConfirmed: Bool
    ) throws(OfflineError) {
        let row = try connection.statement(
            """
            INSERT INTO members VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (kind, id, mirror) DO UPDATE SET generation = ?4
            WHERE ?5 OR generation <> -1
            """)
        try row.bind(1, mirror.number)
        try row.bind(2, kind)
        try row.bind(3, id)
        try row.bind(4, mirror.generation)
        try row.bind(5, isConfirmed ? 1 : 0)
        try row.run()
    }

    private func remove(
        _ id: [UInt8], _ kind: Int, from mirror: Row
    ) throws(OfflineError) {
        let row = try connection.statement(
            "DELETE FROM members WHERE mirror = ?1 AND kind = ?2 AND id = ?3")
        try row.bind(1, mirror.number)
        try row.bind(2, kind)
        try row.bind(3, id)
        try row.run()
    }

    /// Removes articles of the former snapshots that this one does not have, unless they stay for
    /// another reason.
    private func removeFormerMembers(of mirror: Row) throws(OfflineError) {
        let row = try connection.statement(
            """
            SELECT m.kind, m.id, x.number, x.holds FROM members m
            LEFT JOIN models x ON x.kind = m.kind AND x.id = m.id
            WHERE m.mirror = ?1 AND m.generation <> ?2
            """)
        try row.bind(1, mirror.number)
        try row.bind(2, mirror.generation)
        var loose: [(kind: Int, id: [UInt8])] = []
        while try row.step() {
            if !row.isNull(2), row.integer(3) <= 1 { loose.append((row.number(0), row.bytes(1))) }
        }
        let members = try connection.statement(
            "DELETE FROM members WHERE mirror = ?1 AND generation <> ?2")
        try members.bind(1, mirror.number)
        try members.bind(2, mirror.generation)
        try members.run()
        for (kind, id) in loose { try removeModel(kind, id) }
    }

    /// Removes articles that are in no mirror though they match.
    private func removeUnlisted(
        _ whole: MirrorPage.Whole, at time: Timestamp
    ) throws(OfflineError) {
        let ids = try ArticleIndex.unlistedIDs(
            matching: whole.query, seenBefore: whole.asOf, in: connection)
        // A model seen at that time, or later, may be there again.
        let last = whole.asOf.advanced(byMilliseconds: -1)
        for id in ids {
            try remove(Article.self, id, .notFound(seenAt: last), MergeContext(time: time))
        }
    }
}
