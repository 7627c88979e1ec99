CREATE TABLE "payload_blocks" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"first_event" bigint NOT NULL,
	"last_event" bigint NOT NULL,
	"payloads" integer NOT NULL,
	"size" integer NOT NULL,
	"body" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_blocks" (
	"place" bigint PRIMARY KEY NOT NULL,
	"body" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "took_ms" integer;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "took_note" text;--> statement-breakpoint
CREATE UNIQUE INDEX "payload_blocks_of_kind" ON "payload_blocks" USING btree ("kind","first_event");--> statement-breakpoint
-- They are compressed already: the server need not try.
ALTER TABLE "payload_blocks" ALTER COLUMN "body" SET STORAGE EXTERNAL;
