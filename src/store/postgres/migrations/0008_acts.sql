-- By hand: the rows that go from one table to another, and the first of "search_index".
CREATE TABLE "audit_deliveries" (
	"delivery_id" bigint NOT NULL,
	"audit_id" bigint NOT NULL,
	CONSTRAINT "audit_deliveries_delivery_id_audit_id_pk" PRIMARY KEY("delivery_id","audit_id")
);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"event_id" bigint NOT NULL,
	"audit_id" bigint NOT NULL,
	CONSTRAINT "audit_events_event_id_audit_id_pk" PRIMARY KEY("event_id","audit_id")
);
--> statement-breakpoint
CREATE TABLE "search_index" (
	"secret" "bytea" NOT NULL,
	"up_to" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_keys" (
	"segment" integer NOT NULL,
	"key" "bytea" NOT NULL,
	"event_id" bigint NOT NULL,
	CONSTRAINT "search_keys_segment_key_event_id_pk" PRIMARY KEY("segment","key","event_id")
);
--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "refused" text;--> statement-breakpoint
CREATE INDEX "audit_deliveries_of_act" ON "audit_deliveries" USING btree ("audit_id","delivery_id");--> statement-breakpoint
CREATE INDEX "audit_events_of_act" ON "audit_events" USING btree ("audit_id","event_id");--> statement-breakpoint
CREATE INDEX "audit_at" ON "audit" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_of_person" ON "audit" USING btree ("by","at");--> statement-breakpoint
CREATE INDEX "audit_of_action" ON "audit" USING btree ("action","at");--> statement-breakpoint
INSERT INTO "audit_deliveries" SELECT "delivery_id", "id" FROM "audit" WHERE "delivery_id" IS NOT NULL;--> statement-breakpoint
INSERT INTO "search_index" VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 0);--> statement-breakpoint
DROP INDEX "audit_of_delivery";