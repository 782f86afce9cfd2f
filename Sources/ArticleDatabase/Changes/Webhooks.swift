public import ArticleStore

/// The positions of webhooks, which are written without a change.
extension SQLStore {
    public func webhooks() async throws(StoreError) -> [WebhookRecord] {
        try await read { (state) throws(StoreError) in try state.webhooks() }
    }

    public func putWebhook(_ record: WebhookRecord) async throws(StoreError) {
        try await submitAsLeader { (step) throws(StoreError) in
            try step.putWebhook(record)
        }
    }

    public func removeWebhooks(except urls: Set<[UInt8]>) async throws(StoreError) {
        try await submitAsLeader { (step) throws(StoreError) in
            try step.removeWebhooks(except: urls)
        }
    }
}

extension SQL {
    fileprivate static let webhooks: StaticString =
        "SELECT url, token, failing_since, is_reset FROM webhooks ORDER BY url"
    fileprivate static let putWebhook: StaticString = """
        INSERT INTO webhooks (url, token, failing_since, is_reset)
        VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (url) DO UPDATE SET token = excluded.token,
            failing_since = excluded.failing_since, is_reset = excluded.is_reset
        """
    fileprivate static let removeWebhook: StaticString = "DELETE FROM webhooks WHERE url = ?1"
}

extension Snapshot {
    func webhooks() throws(StoreError) -> [WebhookRecord] {
        let row = try connection.statement(SQL.webhooks)
        var records: [WebhookRecord] = []
        while try row.step() {
            records.append(
                WebhookRecord(
                    url: row.bytes(0), token: row.text(1), failingSince: row.optionalTime(2),
                    isReset: row.integer(3) != 0))
        }
        return records
    }
}

extension WriteStep {
    func putWebhook(_ record: WebhookRecord) throws(StoreError) {
        let row = try connection.statement(SQL.putWebhook)
        try row.bind(1, record.url)
        try row.bind(2, record.token)
        try row.bind(3, record.failingSince)
        try row.bind(4, record.isReset ? 1 : 0)
        try row.run()
    }

    func removeWebhooks(except urls: Set<[UInt8]>) throws(StoreError) {
        for record in try state.webhooks() where !urls.contains(record.url) {
            let row = try connection.statement(SQL.removeWebhook)
            try row.bind(1, record.url)
            try row.run()
        }
    }
}
