DROP INDEX "deliveries_of_strand";--> statement-breakpoint
DROP INDEX "strands_free";--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "yields" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "strands" ADD COLUMN "yields" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "deliveries_of_strand" ON "deliveries" USING btree ("strand","event_id","id") WHERE state in ('waiting', 'claimed', 'held');--> statement-breakpoint
CREATE INDEX "strands_free" ON "strands" USING btree ("destination","urgency","yields","due_at") WHERE lease_until is null;