CREATE TABLE "gone_events" (
	"id" bigint PRIMARY KEY NOT NULL,
	"told" "bytea" NOT NULL,
	"body_hash" "bytea" NOT NULL,
	"revision" bigint NOT NULL,
	"received_at" bigint NOT NULL,
	"has_key" boolean NOT NULL,
	"quarantined" boolean NOT NULL,
	"conflict_with" bigint,
	"submission" bigint
);
--> statement-breakpoint
CREATE TABLE "legal_holds" (
	"event_id" bigint PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL,
	"by" text NOT NULL,
	"reason" text NOT NULL
);
