CREATE TABLE "acknowledged" (
	"destination" text NOT NULL,
	"flow" text NOT NULL,
	"subject" text NOT NULL,
	"digest" text,
	"version" bigint,
	CONSTRAINT "acknowledged_destination_flow_subject_pk" PRIMARY KEY("destination","flow","subject")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"system" text NOT NULL,
	"scopes" text NOT NULL,
	"secret_hash" text NOT NULL,
	"created_at" bigint NOT NULL,
	"created_by" text NOT NULL,
	"last_used_at" bigint,
	"revoked_at" bigint
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"id" bigserial NOT NULL,
	"delivery_id" bigint NOT NULL,
	"at" bigint NOT NULL,
	"ms" integer NOT NULL,
	"outcome" text NOT NULL,
	"code" text NOT NULL,
	"note" text
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL,
	"by" text NOT NULL,
	"action" text NOT NULL,
	"reason" text,
	"selection" text NOT NULL,
	"changed" integer NOT NULL,
	"delivery_id" bigint
);
--> statement-breakpoint
CREATE TABLE "customer_count" (
	"n" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "customers" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"customer_id" text,
	"ext_id" text,
	"email" text,
	"phone" text,
	"first_name" text,
	"last_name" text,
	"company_name" text,
	"address" text,
	"postal_code" text,
	"city" text,
	"country_code" text,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"event_id" bigint NOT NULL,
	"flow" text NOT NULL,
	"part" text NOT NULL,
	"destination" text NOT NULL,
	"urgency" text NOT NULL,
	"entity" text,
	"batch" text,
	"once" boolean NOT NULL,
	"state" text NOT NULL,
	"due_at" bigint NOT NULL,
	"open" boolean DEFAULT false NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"finds" integer DEFAULT 0 NOT NULL,
	"first_tried_at" bigint,
	"failing_since" bigint,
	"settled_at" bigint,
	"code" text,
	"why" text,
	"latest_wins" boolean DEFAULT false NOT NULL,
	"digest" text,
	"force" boolean DEFAULT false NOT NULL,
	"subject" text,
	"version" bigint,
	"effect" text,
	"unless" text,
	"strand" uuid NOT NULL,
	"fence" bigint
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"origin" text NOT NULL,
	"subscription" text,
	"state" text NOT NULL,
	"conflict_with" bigint,
	"received_at" bigint NOT NULL,
	"transport_key" text,
	"identity" text,
	"revision" bigint NOT NULL,
	"entity" text,
	"facts" text,
	"problem" text,
	"size" integer NOT NULL,
	"body_hash" text NOT NULL,
	"submission" bigint,
	"line" integer
);
--> statement-breakpoint
CREATE TABLE "job_runs" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"job" text NOT NULL,
	"started_at" bigint NOT NULL,
	"ended_at" bigint,
	"problem" text,
	"note" text
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"name" text PRIMARY KEY NOT NULL,
	"state" text,
	"started_at" bigint NOT NULL,
	"succeeded_at" bigint,
	"failed_at" bigint,
	"problem" text,
	"note" text,
	"failures" integer NOT NULL,
	"under_way" boolean NOT NULL,
	"lease_until" bigint,
	"fence" bigint
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"key" uuid PRIMARY KEY NOT NULL,
	"event_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "links" (
	"destination" text NOT NULL,
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"their_id" text NOT NULL,
	CONSTRAINT "links_destination_kind_id_their_id_pk" PRIMARY KEY("destination","kind","id","their_id")
);
--> statement-breakpoint
CREATE TABLE "lookups" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL,
	"number" text NOT NULL,
	"found" text NOT NULL,
	"missing" text NOT NULL,
	"ms" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pauses" (
	"destination" text NOT NULL,
	"urgency" text NOT NULL,
	"until" bigint,
	"why" text NOT NULL,
	CONSTRAINT "pauses_destination_urgency_pk" PRIMARY KEY("destination","urgency")
);
--> statement-breakpoint
CREATE TABLE "payloads" (
	"event_id" bigint PRIMARY KEY NOT NULL,
	"headers" text NOT NULL,
	"body" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stores" (
	"store_id" text PRIMARY KEY NOT NULL,
	"number" text,
	"name" text,
	"stock_id" text,
	"country_code" text,
	"currency" text,
	"zone" text,
	"gone_at" bigint
);
--> statement-breakpoint
CREATE TABLE "strands" (
	"id" uuid PRIMARY KEY NOT NULL,
	"destination" text NOT NULL,
	"urgency" text NOT NULL,
	"head" bigint NOT NULL,
	"due_at" bigint,
	"batch" text,
	"size" integer NOT NULL,
	"lease_until" bigint,
	"hub" uuid
);
--> statement-breakpoint
CREATE TABLE "submissions" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"system" text NOT NULL,
	"resource" text NOT NULL,
	"key" text NOT NULL,
	"received_at" bigint NOT NULL,
	"end" text
);
--> statement-breakpoint
CREATE INDEX "attempts_of_delivery" ON "attempts" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "audit_of_delivery" ON "audit" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "customers_by_customer_id" ON "customers" USING btree ("customer_id") WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX "customers_by_ext_id" ON "customers" USING btree ("ext_id") WHERE ext_id is not null;--> statement-breakpoint
CREATE INDEX "customers_by_email" ON "customers" USING btree ("email") WHERE email is not null;--> statement-breakpoint
CREATE INDEX "customers_by_phone" ON "customers" USING btree ("phone") WHERE phone is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_of_event" ON "deliveries" USING btree ("event_id","flow","part","destination");--> statement-breakpoint
CREATE INDEX "deliveries_of_strand" ON "deliveries" USING btree ("strand","id") WHERE state in ('waiting', 'claimed', 'held');--> statement-breakpoint
CREATE INDEX "deliveries_unsettled" ON "deliveries" USING btree ("destination","urgency","id") WHERE state in ('waiting', 'claimed', 'held', 'dead');--> statement-breakpoint
CREATE INDEX "deliveries_latest_wins" ON "deliveries" USING btree ("destination","entity","flow") WHERE latest_wins and state in ('waiting', 'claimed', 'dead', 'skipped');--> statement-breakpoint
CREATE INDEX "deliveries_of_effect" ON "deliveries" USING btree ("effect" text_pattern_ops) WHERE effect is not null;--> statement-breakpoint
CREATE INDEX "deliveries_of_order" ON "deliveries" USING btree ("entity") WHERE entity like 'order:%';--> statement-breakpoint
CREATE INDEX "deliveries_once_unsettled" ON "deliveries" USING btree ("flow","id") WHERE once and state in ('waiting', 'claimed', 'held', 'dead');--> statement-breakpoint
CREATE INDEX "events_to_look_at" ON "events" USING btree ("state","id") WHERE state <> 'routed' or conflict_with is not null;--> statement-breakpoint
CREATE INDEX "events_of_submission" ON "events" USING btree ("submission","line") WHERE submission is not null;--> statement-breakpoint
CREATE INDEX "events_of_order" ON "events" USING btree ("entity") WHERE entity like 'order:%';--> statement-breakpoint
CREATE INDEX "job_runs_of_job" ON "job_runs" USING btree ("job","id");--> statement-breakpoint
CREATE INDEX "links_back" ON "links" USING btree ("destination","kind","their_id");--> statement-breakpoint
CREATE INDEX "links_of_order" ON "links" USING btree ("id" text_pattern_ops) WHERE kind in ('order', 'draft', 'shipment', 'refund', 'declined', 'returned');--> statement-breakpoint
CREATE INDEX "lookups_of_number" ON "lookups" USING btree ("number");--> statement-breakpoint
CREATE INDEX "strands_free" ON "strands" USING btree ("destination","urgency","due_at") WHERE lease_until is null;--> statement-breakpoint
CREATE INDEX "strands_leased" ON "strands" USING btree ("destination","urgency","lease_until") WHERE lease_until is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "submissions_by_key" ON "submissions" USING btree ("system","resource","key");