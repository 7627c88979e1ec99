CREATE TABLE `delivery_shapes` (
	`id` integer PRIMARY KEY NOT NULL,
	`flow` text NOT NULL,
	`part` text NOT NULL,
	`destination` text NOT NULL,
	`urgency` text NOT NULL,
	`once` integer NOT NULL,
	`yields` integer NOT NULL,
	`has_entity` integer NOT NULL,
	`tries` integer NOT NULL,
	`code` text NOT NULL,
	`note` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `delivery_shapes_by_words` ON `delivery_shapes` (`flow`,`part`,`destination`,`urgency`,`once`,`yields`,`has_entity`,`tries`,`code`,`note`);--> statement-breakpoint
CREATE TABLE `past_deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`event_id` integer NOT NULL,
	`shape` integer NOT NULL,
	`tried_at` integer NOT NULL,
	`settled_after` integer NOT NULL,
	`took_ms` integer NOT NULL,
	`note` text
);
--> statement-breakpoint
CREATE INDEX `past_deliveries_of_event` ON `past_deliveries` (`event_id`);--> statement-breakpoint
CREATE VIEW `all_deliveries` AS
  SELECT id, event_id, flow, part, destination, urgency, entity, batch, once, state, due_at, open, tries, finds, first_tried_at,
      failing_since, settled_at, code, why, latest_wins, digest, force, subject, version, effect, unless, released, yields, took_ms, took_note
    FROM deliveries
  UNION ALL
  SELECT past_deliveries.id, event_id, flow, part, destination, urgency, CAST(CASE WHEN has_entity THEN entity END AS text),
      CAST(NULL AS text), once, CAST('delivered' AS text), CAST(tried_at + settled_after AS integer), CAST(0 AS integer), tries,
      CAST(0 AS integer), tried_at, CAST(NULL AS integer), CAST(tried_at + settled_after AS integer), code, CAST(NULL AS text),
      CAST(0 AS integer), CAST(NULL AS text), CAST(0 AS integer), CAST(NULL AS text), CAST(NULL AS integer), CAST(NULL AS text),
      CAST(NULL AS text), CAST(NULL AS text), yields, took_ms,
      CAST(coalesce(past_deliveries.note, nullif(delivery_shapes.note, '')) AS text)
    FROM past_deliveries JOIN delivery_shapes ON delivery_shapes.id = shape JOIN events ON events.id = event_id;
