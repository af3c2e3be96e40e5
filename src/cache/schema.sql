-- The cache: a shadow of the ledgers in memory. It holds what is filtered, sorted or joined by, and for each issue the
-- handle (key) under which the store finds its line. Rebuilt at will, never migrated, never the source of a write.

CREATE TABLE issues (
  key          INTEGER PRIMARY KEY,
  source       INTEGER NOT NULL,            -- which repo's ledger
  effective    INTEGER NOT NULL DEFAULT 1,  -- 0: another line with this id is shown instead
  {fields}                                  -- those with a column in model::field; instants in microseconds since 1970
  failed       INTEGER NOT NULL,            -- closed for a reason that conditional-blocks counts as failure
  hidden       INTEGER NOT NULL,            -- pinned, ephemeral or a template
  needs        INTEGER NOT NULL,            -- how many dependencies its line has
  comments     INTEGER NOT NULL,
  task         INTEGER NOT NULL,            -- a task of a workflow
  chunk        INTEGER NOT NULL             -- where in the ledger its line is; see chunks
);

-- Few issues are one of these: finding them must cost nothing where there are none.
CREATE INDEX workflows ON issues (id) WHERE type = 'workflow';
CREATE INDEX tasks ON issues (id) WHERE task = 1;

CREATE TABLE labels (
  key   INTEGER NOT NULL,
  label TEXT NOT NULL,
  PRIMARY KEY (key, label)
) WITHOUT ROWID;

-- "The issue of this key depends on target."
CREATE TABLE edges (
  key      INTEGER NOT NULL,
  n        INTEGER NOT NULL,
  target   TEXT NOT NULL,
  type     TEXT NOT NULL,
  any_gate INTEGER NOT NULL,                -- waits-for: one closed child is enough
  spawner  TEXT,                            -- waits-for: whose children count, if not the target's
  PRIMARY KEY (key, n)
) WITHOUT ROWID;

CREATE VIEW live AS SELECT * FROM issues WHERE effective = 1;

-- Filled by derived.rs when a question needs them: parents and children, blockers, issues that hold back what is
-- below them, and what is below one of these.
CREATE TABLE kin (child TEXT NOT NULL, parent TEXT NOT NULL);
CREATE TABLE blockers (id TEXT NOT NULL, blocker TEXT NOT NULL, type TEXT NOT NULL, known INTEGER NOT NULL);
CREATE TABLE holding (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE inherited (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX kin_child ON kin (child);
CREATE INDEX kin_parent ON kin (parent);
CREATE INDEX blockers_id ON blockers (id, blocker, type, known);

-- What nothing keeps from being worked on, in the order in which it is offered.
CREATE TABLE front (
  key      INTEGER PRIMARY KEY,
  id       TEXT NOT NULL,
  proposed INTEGER NOT NULL,
  asked    INTEGER NOT NULL,                -- since when, if it is proposed
  urgent   INTEGER NOT NULL,                -- by its labels; 0 comes first
  priority INTEGER NOT NULL,
  created  INTEGER NOT NULL,
  since    INTEGER,                         -- from when on it may be worked on; absent: at once
  kind     INTEGER NOT NULL                 -- 0: work; 1: an epic with open children; 2: of an internal type
);
CREATE INDEX front_order ON front (proposed, asked, urgent, priority, created, id, kind, since);
CREATE INDEX front_later ON front (since, kind) WHERE since IS NOT NULL;

-- What something keeps from it, in the order in which it is listed.
CREATE TABLE held (key INTEGER PRIMARY KEY, id TEXT NOT NULL, priority INTEGER NOT NULL, created INTEGER NOT NULL);
CREATE INDEX held_order ON held (priority, created, id);

-- Epics that are not done, with how many children they have and how many of these are closed.
CREATE TABLE epics (key INTEGER PRIMARY KEY, children INTEGER NOT NULL, closed INTEGER NOT NULL);
CREATE INDEX closeable ON epics (key) WHERE children > 0 AND children = closed;

-- How many rows there are in front (at once, by kind) and in held.
CREATE TABLE numbers (name TEXT NOT NULL, kind INTEGER NOT NULL, n INTEGER NOT NULL);

-- How many issues there are of each kind, and how long the closed ones took together.
CREATE TABLE tally (
  status   TEXT NOT NULL,
  priority INTEGER NOT NULL,
  type     TEXT NOT NULL,
  n        INTEGER NOT NULL,
  lead     INTEGER NOT NULL,                -- seconds
  leads    INTEGER NOT NULL,                -- of how many
  PRIMARY KEY (status, priority, type)
) WITHOUT ROWID;

-- Only in an image: which one it is, and what the ledgers were that it was made from. Lines stand in chunks, so that a change
-- moves no more than the beginnings of those behind it. For each line: hash, key (0: without an issue) and length.
CREATE TABLE made (
  id   BLOB NOT NULL,
  line BLOB NOT NULL,                       -- the image that it descends from: a key means the same in all of these
  next INTEGER NOT NULL                     -- the next key that none of them has had
);
-- How many lines of each ledger have an id of each prefix, whatever else they hold.
CREATE TABLE prefixes (source INTEGER NOT NULL, prefix TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (source, prefix))
  WITHOUT ROWID;
CREATE TABLE chunks (
  n     INTEGER PRIMARY KEY,                -- of the ledger (above 32 bits), then of the chunk in it
  first INTEGER NOT NULL,                   -- its first line
  start INTEGER NOT NULL,                   -- the byte at which that begins
  lines BLOB NOT NULL
);

-- Copies of proposals, and the rows that are shown instead.
CREATE TABLE pairs (copy INTEGER NOT NULL, shown INTEGER NOT NULL, accepted INTEGER NOT NULL);
