-- What drizzle cannot say; `npm run migrations` puts it at the end of the migration.
-- Of events: an id is drawn before the row is written, because other tables name it in the same commit.
CREATE SEQUENCE event_ids;--> statement-breakpoint
-- Of job runs: one for all, since what counts for itself begins again when its row comes back.
CREATE SEQUENCE fences;--> statement-breakpoint
-- The time of all hubs: a hub whose clock is wrong, or whose process stood still, is not believed.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE AS
  $$ select floor(extract(epoch from statement_timestamp()) * 1000)::bigint $$;--> statement-breakpoint
-- A row a claim, deleted with its outcome: vacuumed early.
ALTER TABLE in_flight SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
-- Settled ones leave entries in the indexes of unsettled ones: vacuumed by their number, not by the size of the table.
ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000, vacuum_index_cleanup = on);--> statement-breakpoint
INSERT INTO partitions (id) SELECT generate_series(0, 63);--> statement-breakpoint
INSERT INTO customer_count (n) VALUES (0);--> statement-breakpoint
INSERT INTO search_index VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 0);
