DROP INDEX "links_of_order";--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "is_level" boolean NOT NULL DEFAULT false;--> statement-breakpoint
ALTER TABLE "links" ALTER COLUMN "is_level" DROP DEFAULT;--> statement-breakpoint
-- Those that are there were kept by the rule of then: by their kind.
UPDATE "links" SET "is_level" = true WHERE "kind" IN ('declined', 'declined-as', 'returned', 'returned-as', 'received', 'paid');--> statement-breakpoint
-- While hubs are upgraded in turn, the old ones keep links by that rule, too: they do not name the column.
CREATE FUNCTION "is_level_of_before"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.is_level := NEW.kind IN ('declined', 'declined-as', 'returned', 'returned-as', 'received', 'paid');
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "links_of_before" BEFORE INSERT ON "links" FOR EACH ROW WHEN (NEW.is_level IS NULL)
  EXECUTE FUNCTION "is_level_of_before"();--> statement-breakpoint
CREATE INDEX "links_of_id" ON "links" USING btree ("id" text_pattern_ops);
