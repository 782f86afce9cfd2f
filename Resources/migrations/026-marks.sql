-- A random number for each commit, in each of its changes: it proves the history that a position in the
-- changes is from. A database that was set back gives the numbers of lost changes to other ones, but not
-- their marks. Changes from before this version have none.
ALTER TABLE changes ADD COLUMN mark INTEGER;
ALTER TABLE search_state ADD COLUMN seen INTEGER;
ALTER TABLE search_state ADD COLUMN mark INTEGER;
