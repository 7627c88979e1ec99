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
INSERT INTO partitions (id) SELECT generate_series(0, 63);--> statement-breakpoint
-- They are compressed already: the server need not try.
ALTER TABLE payload_blocks ALTER COLUMN body SET STORAGE EXTERNAL;--> statement-breakpoint
INSERT INTO customer_count (n) VALUES (0);--> statement-breakpoint
INSERT INTO search_index VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 0);--> statement-breakpoint
CREATE VIEW "all_deliveries" AS
  SELECT id, event_id, flow, part, destination, urgency, entity, batch, once, state, due_at, open, tries, finds, first_tried_at,
      failing_since, settled_at, code, why, latest_wins, digest, force, subject, version, effect, unless, released, crashes, yields, took_ms, took_note
    FROM deliveries
  UNION ALL
  SELECT p.id, p.event_id, (SELECT s.flow FROM delivery_shapes s WHERE s.id = p.shape), (SELECT s.part FROM delivery_shapes s WHERE s.id = p.shape),
      (SELECT s.destination FROM delivery_shapes s WHERE s.id = p.shape), (SELECT s.urgency FROM delivery_shapes s WHERE s.id = p.shape),
      (SELECT CASE WHEN s.has_entity THEN e.entity END FROM delivery_shapes s, events e WHERE s.id = p.shape AND e.id = p.event_id),
      NULL::text, (SELECT s.once FROM delivery_shapes s WHERE s.id = p.shape), 'delivered'::text, p.tried_at + p.settled_after, false,
      (SELECT s.tries FROM delivery_shapes s WHERE s.id = p.shape), 0, p.tried_at, NULL::bigint, p.tried_at + p.settled_after,
      (SELECT s.code FROM delivery_shapes s WHERE s.id = p.shape), NULL::text, false, NULL::text, false, NULL::text, NULL::bigint,
      NULL::text, NULL::text, NULL::text, 0, (SELECT s.yields FROM delivery_shapes s WHERE s.id = p.shape), p.took_ms,
      coalesce(p.note, (SELECT nullif(s.note, '') FROM delivery_shapes s WHERE s.id = p.shape))
    FROM past_deliveries p;
