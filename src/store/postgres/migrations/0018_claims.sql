DROP INDEX "strands_free";--> statement-breakpoint
ALTER TABLE "strands" ADD COLUMN "taken" bigint;--> statement-breakpoint
ALTER TABLE "strands" ADD COLUMN "fence" bigint;--> statement-breakpoint
CREATE INDEX "strands_free_alone" ON "strands" USING btree ("destination","urgency","yields","due_at") WHERE lease_until is null and batch is null;--> statement-breakpoint
CREATE INDEX "strands_free_batched" ON "strands" USING btree ("destination","urgency","yields","due_at") WHERE lease_until is null and batch is not null;