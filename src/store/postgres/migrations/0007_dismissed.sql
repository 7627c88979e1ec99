DROP INDEX "events_to_look_at";--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "dismissed_at" bigint;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "dismissed_by" text;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "dismissed_because" text;--> statement-breakpoint
CREATE INDEX "events_to_look_at" ON "events" USING btree ("state","id") WHERE (state <> 'routed' or conflict_with is not null) and dismissed_at is null;