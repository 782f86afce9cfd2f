-- What proves a history (migrations/026-marks.sql).
ALTER TABLE changes ADD COLUMN mark bigint;
ALTER TABLE search_state ADD COLUMN seen bigint;
ALTER TABLE search_state ADD COLUMN mark bigint;
-- The mark of the last commit; and the server that has made it, by which a database is recognized that was
-- restored, or lost commits with a server that failed: pg_control_system() and the timeline, if they are known.
ALTER TABLE commit_clock ADD COLUMN mark bigint;
UPDATE commit_clock SET mark = (SELECT m.mark FROM commit_marks AS m WHERE m.number = commits);
ALTER TABLE commit_clock ADD COLUMN system bigint;
ALTER TABLE commit_clock ADD COLUMN timeline bigint;
