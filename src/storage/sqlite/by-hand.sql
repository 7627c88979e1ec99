-- What drizzle cannot say; `npm run migrations` puts it at the end of the migration.
INSERT INTO `keys_merged` (`up_to`) VALUES (0);--> statement-breakpoint
INSERT INTO `customer_count` (`n`) VALUES (0);--> statement-breakpoint
INSERT INTO `search_index` VALUES (randomblob(32), 0);--> statement-breakpoint
CREATE VIEW `all_deliveries` AS
  SELECT id, event_id, flow, part, destination, urgency, entity, batch, once, state, due_at, open, tries, finds, first_tried_at,
      failing_since, settled_at, code, why, latest_wins, digest, force, subject, version, effect, unless, released, crashes, yields, took_ms, took_note
    FROM deliveries
  UNION ALL
  SELECT past_deliveries.id, event_id, flow, part, destination, urgency, CAST(CASE WHEN has_entity THEN entity END AS text),
      CAST(NULL AS text), once, CAST('delivered' AS text), CAST(tried_at + settled_after AS integer), CAST(0 AS integer), tries,
      CAST(0 AS integer), tried_at, CAST(NULL AS integer), CAST(tried_at + settled_after AS integer), code, CAST(NULL AS text),
      CAST(0 AS integer), CAST(NULL AS text), CAST(0 AS integer), CAST(NULL AS text), CAST(NULL AS integer), CAST(NULL AS text),
      CAST(NULL AS text), CAST(NULL AS text), CAST(0 AS integer), yields, took_ms,
      CAST(coalesce(past_deliveries.note, nullif(delivery_shapes.note, '')) AS text)
    FROM past_deliveries JOIN delivery_shapes ON delivery_shapes.id = shape JOIN events ON events.id = event_id;
