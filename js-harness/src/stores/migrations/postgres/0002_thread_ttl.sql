-- Up Migration
--
-- When a thread may be swept; NULL for never. It is the store's own and on no row that is read.

ALTER TABLE threads ADD COLUMN expires_at timestamptz;

CREATE INDEX threads_expiry_idx ON threads (expires_at) WHERE expires_at IS NOT NULL;

-- Down Migration

DROP INDEX threads_expiry_idx;
ALTER TABLE threads DROP COLUMN expires_at;
