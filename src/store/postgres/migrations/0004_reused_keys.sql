ALTER TABLE "events" ADD COLUMN "same_key_as" bigint;--> statement-breakpoint
CREATE INDEX "events_of_reused_keys" ON "events" USING btree ("received_at","same_key_as") WHERE same_key_as is not null;