CREATE TABLE "findings" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"sort" text NOT NULL,
	"key" text NOT NULL,
	"topic" text,
	"day" text NOT NULL,
	"version" bigint NOT NULL,
	"body" text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "findings_by_key" ON "findings" USING btree ("sort","key");--> statement-breakpoint
CREATE INDEX "findings_of_day" ON "findings" USING btree ("sort","day","id");--> statement-breakpoint
CREATE INDEX "findings_of_topic" ON "findings" USING btree ("sort","topic","day","id") WHERE topic is not null;--> statement-breakpoint
-- The mirror kept them before, each by its own columns. While hubs are upgraded in turn, the old ones still do: what they keep
-- or take away there is kept or taken away here. Their rows stay in the mirror as long as there are such hubs.
CREATE FUNCTION "finding_of_before"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  m "mirror"%ROWTYPE := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  named text := CASE m.set_name WHEN 'differences' THEN 'stock-difference' WHEN 'product-differences' THEN 'product-difference'
    WHEN 'words' THEN 'word' ELSE m.set_name END;
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM "findings" WHERE "sort" = named AND "key" = m.key;
    RETURN NULL;
  END IF;
  INSERT INTO "findings" ("sort", "key", "topic", "day", "version", "body")
    VALUES (named, m.key, CASE m.set_name WHEN 'differences' THEN m.part ELSE m.place END, m.day, m.version,
      CASE m.set_name WHEN 'unsellable' THEN (m.body::jsonb || jsonb_build_object('list', m.place))::text ELSE m.body END)
    ON CONFLICT ("sort", "key") DO UPDATE SET "topic" = EXCLUDED."topic", "day" = EXCLUDED."day", "version" = EXCLUDED."version",
      "body" = EXCLUDED."body" WHERE EXCLUDED."version" >= "findings"."version";
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "findings_kept_before" AFTER INSERT OR UPDATE ON "mirror" FOR EACH ROW
  WHEN (NEW.set_name IN ('differences', 'product-differences', 'unsellable', 'words')) EXECUTE FUNCTION "finding_of_before"();--> statement-breakpoint
CREATE TRIGGER "findings_dropped_before" AFTER DELETE ON "mirror" FOR EACH ROW
  WHEN (OLD.set_name IN ('differences', 'product-differences', 'unsellable', 'words')) EXECUTE FUNCTION "finding_of_before"();--> statement-breakpoint
INSERT INTO "findings" ("sort", "key", "topic", "day", "version", "body")
  SELECT CASE set_name WHEN 'differences' THEN 'stock-difference' WHEN 'product-differences' THEN 'product-difference'
      WHEN 'words' THEN 'word' ELSE set_name END,
    key, CASE set_name WHEN 'differences' THEN part ELSE place END, day, version,
    CASE set_name WHEN 'unsellable' THEN (body::jsonb || jsonb_build_object('list', place))::text ELSE body END
  FROM "mirror" WHERE set_name IN ('differences', 'product-differences', 'unsellable', 'words') ORDER BY id;
