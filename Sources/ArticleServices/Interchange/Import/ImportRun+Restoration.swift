import ArticleAPI
import ArticleStore

extension ImportRun {
    /// Number of records that are committed in one step.
    static let restoreRecords = 500

    /// Restores an export.
    ///
    /// The file is read twice. The first pass validates all of it, so that a truncated or damaged
    /// export changes nothing. The second pass compares leading records with the store, where they
    /// must be equal, and restores the rest. The store must not contain anything else: it is either
    /// empty, or an earlier restoration of the same export was interrupted.
    mutating func restore(_ file: ImportFile, version: Int) async throws(InterchangeError) {
        // Buffered articles precede this file, and count as other content of the store.
        try await flush()
        var finished = 0
        defer { finish(bytes: file.sizeBytes - finished) }
        guard check(file, version: version, &finished), var reader = lines(of: file) else { return }
        var restoration = Restoration(importer, path: file.path)
        while let line = next(&reader, of: file), restoration.isGoingOn {
            // The first line is the header and the last one the end: neither is a record.
            if line.number > 1, let record = line.record(version: version) {
                try await restoration.take(record, line, &report)
            }
            let half = file.sizeBytes / 2 + min(reader.offset, file.sizeBytes) / 2
            finish(bytes: half - finished)
            finished = half
            if restoration.isBatchTaken { reportProgress() }
        }
        try await restoration.flush(&report)
    }

    /// Whether all lines of an export are valid; reports the first one that is not.
    private mutating func check(
        _ file: ImportFile, version: Int, _ finished: inout Int
    ) -> Bool {
        guard var reader = lines(of: file), next(&reader, of: file) != nil else { return false }
        var order = ExportOrder()
        var lastLine = 1
        do throws(LineFault) {
            while let line = next(&reader, of: file) {
                lastLine = line.number
                guard let content = try ExportLine(line.json().value, version: version)
                else {
                    throw LineFault(reason: "$.kind is not author, article, revision or end")
                }
                try order.take(content)
                let half = min(reader.offset, file.sizeBytes) / 2
                finish(bytes: half - finished)
                finished = half
                if line.number.isMultiple(of: Self.restoreRecords) { reportProgress() }
            }
            try order.finish()
            return true
        } catch {
            report.fail(
                file.path, line: lastLine, "\(error.reason); nothing was restored")
            return false
        }
    }
}

extension LineReader.Line {
    /// The record of a line that has been validated.
    fileprivate func record(version: Int) -> ExportRecord? {
        guard let value = try? json().value,
            case .record(let record)? = try? ExportLine(value, version: version)
        else { return nil }
        return record
    }
}
