CREATE TABLE "delivery_shapes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"flow" text NOT NULL,
	"part" text NOT NULL,
	"destination" text NOT NULL,
	"urgency" text NOT NULL,
	"once" boolean NOT NULL,
	"yields" boolean NOT NULL,
	"has_entity" boolean NOT NULL,
	"tries" integer NOT NULL,
	"code" text NOT NULL,
	"note" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "past_deliveries" (
	"id" bigint PRIMARY KEY NOT NULL,
	"event_id" bigint NOT NULL,
	"tried_at" bigint NOT NULL,
	"shape" integer NOT NULL,
	"settled_after" integer NOT NULL,
	"took_ms" integer NOT NULL,
	"note" text
);
--> statement-breakpoint
CREATE UNIQUE INDEX "delivery_shapes_by_words" ON "delivery_shapes" USING btree ("flow","part","destination","urgency","once","yields","has_entity","tries","code","note");--> statement-breakpoint
CREATE INDEX "past_deliveries_of_event" ON "past_deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE VIEW "all_deliveries" AS
  SELECT id, event_id, flow, part, destination, urgency, entity, batch, once, state, due_at, open, tries, finds, first_tried_at,
      failing_since, settled_at, code, why, latest_wins, digest, force, subject, version, effect, unless, released, yields, took_ms, took_note
    FROM deliveries
  UNION ALL
  SELECT p.id, p.event_id, (SELECT s.flow FROM delivery_shapes s WHERE s.id = p.shape), (SELECT s.part FROM delivery_shapes s WHERE s.id = p.shape),
      (SELECT s.destination FROM delivery_shapes s WHERE s.id = p.shape), (SELECT s.urgency FROM delivery_shapes s WHERE s.id = p.shape),
      (SELECT CASE WHEN s.has_entity THEN e.entity END FROM delivery_shapes s, events e WHERE s.id = p.shape AND e.id = p.event_id),
      NULL::text, (SELECT s.once FROM delivery_shapes s WHERE s.id = p.shape), 'delivered'::text, p.tried_at + p.settled_after, false,
      (SELECT s.tries FROM delivery_shapes s WHERE s.id = p.shape), 0, p.tried_at, NULL::bigint, p.tried_at + p.settled_after,
      (SELECT s.code FROM delivery_shapes s WHERE s.id = p.shape), NULL::text, false, NULL::text, false, NULL::text, NULL::bigint,
      NULL::text, NULL::text, NULL::text, (SELECT s.yields FROM delivery_shapes s WHERE s.id = p.shape), p.took_ms,
      coalesce(p.note, (SELECT nullif(s.note, '') FROM delivery_shapes s WHERE s.id = p.shape))
    FROM past_deliveries p;
