import ArticleAPI
import ArticleStore

extension ImportRun {
    /// Records that become durable in one step.
    static let restoreRecords = 500

    /// Restores an export.
    ///
    /// The file is read twice: first all of it is checked, so that a part of an export, or one that
    /// was damaged, changes nothing. Then what is there already must be equal, from the first
    /// record on, and the rest goes into a store that holds nothing else: an empty one, or one to
    /// which a restoration of this export was interrupted.
    mutating func restore(_ file: ImportFile) async throws(InterchangeError) {
        // What waits stands before this file, and counts as something else in the store.
        try await flush()
        var finished = 0
        defer { finish(bytes: file.sizeBytes - finished) }
        guard check(file, &finished), var reader = lines(of: file) else { return }
        var restoration = Restoration(importer, path: file.path)
        while let line = next(&reader, of: file), restoration.isGoingOn {
            // The first line is the header, the last one the end: neither is a record.
            if line.number > 1, let record = line.record {
                try await restoration.take(record, line, &report)
            }
            let half = file.sizeBytes / 2 + min(reader.offset, file.sizeBytes) / 2
            finish(bytes: half - finished)
            finished = half
            if restoration.isBatchTaken { tellProgress() }
        }
        try await restoration.flush(&report)
    }

    /// Whether all lines of an export are what they should be; the first that is not is reported.
    private mutating func check(_ file: ImportFile, _ finished: inout Int) -> Bool {
        guard var reader = lines(of: file), next(&reader, of: file) != nil else { return false }
        var order = ExportOrder()
        var lastLine = 1
        do throws(LineFault) {
            while let line = next(&reader, of: file) {
                lastLine = line.number
                guard let content = try ExportLine(line.json().value) else {
                    throw LineFault(reason: "$.kind is not author, article, revision or end")
                }
                try order.take(content)
                let half = min(reader.offset, file.sizeBytes) / 2
                finish(bytes: half - finished)
                finished = half
                if line.number.isMultiple(of: Self.restoreRecords) { tellProgress() }
            }
            try order.finish()
            return true
        } catch {
            report.fail(
                file.path, line: lastLine, "\(error.reason); nothing of the export was restored")
            return false
        }
    }
}

extension LineReader.Line {
    /// The record of a line that was checked before.
    fileprivate var record: ExportRecord? {
        guard let value = try? json().value, case .record(let record)? = try? ExportLine(value)
        else { return nil }
        return record
    }
}
