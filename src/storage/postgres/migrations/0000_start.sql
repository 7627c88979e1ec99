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
	"id" bigserial PRIMARY KEY NOT NULL,
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
	"refused" text,
	"role" text,
	"address" text,
	"words" text NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_chain" (
	"id" integer PRIMARY KEY NOT NULL,
	"anchor" text NOT NULL,
	"head" text NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "bulk_acts" (
	"act" bigint PRIMARY KEY NOT NULL,
	"matched" integer NOT NULL,
	"after" bigint NOT NULL,
	"ended_at" bigint,
	"outcome" text,
	"problem" text
);
--> statement-breakpoint
CREATE TABLE "console_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console_users" (
	"name" text PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"password" text NOT NULL,
	"created_at" bigint NOT NULL,
	"created_by" text NOT NULL,
	"disabled_at" bigint,
	"subject" text
);
--> statement-breakpoint
CREATE TABLE "covered" (
	"source" text NOT NULL,
	"scope" text NOT NULL,
	"from_at" bigint NOT NULL,
	"to_at" bigint NOT NULL,
	CONSTRAINT "covered_source_scope_from_at_pk" PRIMARY KEY("source","scope","from_at")
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
	"said" text,
	"unless" text,
	"released" text,
	"crashes" integer DEFAULT 0 NOT NULL,
	"yields" boolean DEFAULT false NOT NULL,
	"partition" smallint GENERATED ALWAYS AS (hashtextextended(coalesce(entity, event_id::text), 0) & 63) STORED NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"took_ms" integer,
	"took_note" text
);
--> statement-breakpoint
CREATE TABLE "endpoint_uses" (
	"operation" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"first_at" bigint NOT NULL,
	"first" text NOT NULL,
	"came" text NOT NULL,
	"since" bigint NOT NULL
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
	"line" integer,
	"same_key_as" bigint,
	"dismissed_at" bigint,
	"dismissed_by" text,
	"dismissed_because" text
);
--> statement-breakpoint
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
CREATE TABLE "gaps" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"source" text NOT NULL,
	"cause" text NOT NULL,
	"kind" text,
	"store_id" text,
	"destination" text,
	"day" text,
	"at" bigint NOT NULL,
	"first_seen_at" bigint NOT NULL,
	"last_seen_at" bigint NOT NULL,
	"state" text NOT NULL,
	"body" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gone_events" (
	"id" bigint PRIMARY KEY NOT NULL,
	"digest" "bytea" NOT NULL,
	"body_hash" "bytea" NOT NULL,
	"revision" bigint NOT NULL,
	"received_at" bigint NOT NULL,
	"has_key" boolean NOT NULL,
	"quarantined" boolean NOT NULL,
	"conflict_with" bigint,
	"submission" bigint
);
--> statement-breakpoint
CREATE TABLE "hubs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"beat" bigint DEFAULT 0 NOT NULL,
	"resets" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "in_flight" (
	"delivery_id" bigint PRIMARY KEY NOT NULL,
	"hub" uuid NOT NULL
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
CREATE TABLE "legal_holds" (
	"event_id" bigint PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL,
	"by" text NOT NULL,
	"reason" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "links" (
	"destination" text NOT NULL,
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"their_id" text NOT NULL,
	"is_level" boolean NOT NULL,
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
CREATE TABLE "mirror" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"set_name" text NOT NULL,
	"key" text NOT NULL,
	"place" text,
	"article" text,
	"day" text NOT NULL,
	"part" text,
	"version" bigint NOT NULL,
	"tie" bigint NOT NULL,
	"body" text NOT NULL,
	"saved_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "partitions" (
	"id" smallint PRIMARY KEY NOT NULL,
	"hub" uuid
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
	"body" "bytea" NOT NULL,
	"dictionary" integer
);
--> statement-breakpoint
CREATE TABLE "search_index" (
	"secret" "bytea" NOT NULL,
	"up_to" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_keys" (
	"key" bigint NOT NULL,
	"event_id" bigint NOT NULL,
	CONSTRAINT "search_keys_key_event_id_pk" PRIMARY KEY("key","event_id")
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
	"gone_at" bigint,
	"former" text
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
CREATE TABLE "watermarks" (
	"level" text NOT NULL,
	"kind" text NOT NULL,
	"store_id" text NOT NULL,
	"from_at" bigint NOT NULL,
	"until_at" bigint NOT NULL,
	"since" bigint NOT NULL,
	CONSTRAINT "watermarks_level_kind_store_id_pk" PRIMARY KEY("level","kind","store_id")
);
--> statement-breakpoint
CREATE INDEX "attempts_of_delivery" ON "attempts" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "audit_at" ON "audit" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_of_person" ON "audit" USING btree ("by","at");--> statement-breakpoint
CREATE INDEX "audit_of_action" ON "audit" USING btree ("action","at");--> statement-breakpoint
CREATE INDEX "audit_deliveries_of_act" ON "audit_deliveries" USING btree ("audit_id","delivery_id");--> statement-breakpoint
CREATE INDEX "audit_events_of_act" ON "audit_events" USING btree ("audit_id","event_id");--> statement-breakpoint
CREATE INDEX "bulk_acts_running" ON "bulk_acts" USING btree ("act") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "console_sessions_of_user" ON "console_sessions" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "console_users_of_subject" ON "console_users" USING btree ("subject");--> statement-breakpoint
CREATE INDEX "customers_by_customer_id" ON "customers" USING btree ("customer_id") WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX "customers_by_ext_id" ON "customers" USING btree ("ext_id") WHERE ext_id is not null;--> statement-breakpoint
CREATE INDEX "customers_by_email" ON "customers" USING btree ("email") WHERE email is not null;--> statement-breakpoint
CREATE INDEX "customers_by_phone" ON "customers" USING btree ("phone") WHERE phone is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_of_event" ON "deliveries" USING btree ("event_id","flow","part","destination");--> statement-breakpoint
CREATE INDEX "deliveries_unsettled" ON "deliveries" USING btree ("destination","urgency","event_id","id") WHERE state in ('waiting', 'claimed', 'held', 'dead');--> statement-breakpoint
CREATE INDEX "deliveries_new" ON "deliveries" USING btree ("xid") WHERE state in ('waiting', 'claimed', 'held', 'dead');--> statement-breakpoint
CREATE INDEX "deliveries_failed" ON "deliveries" USING btree ("destination","urgency","state","open","code","event_id","id") WHERE state in ('held', 'dead');--> statement-breakpoint
CREATE INDEX "deliveries_latest_wins" ON "deliveries" USING btree ("destination","entity","flow") WHERE latest_wins and state in ('waiting', 'dead', 'skipped');--> statement-breakpoint
CREATE INDEX "deliveries_of_effect" ON "deliveries" USING btree ("effect" text_pattern_ops) WHERE effect is not null;--> statement-breakpoint
CREATE INDEX "deliveries_of_order" ON "deliveries" USING btree ("entity") WHERE entity like 'order:%';--> statement-breakpoint
CREATE INDEX "deliveries_skipped" ON "deliveries" USING btree ("id") WHERE state = 'skipped';--> statement-breakpoint
CREATE INDEX "deliveries_once_unsettled" ON "deliveries" USING btree ("flow","id") WHERE once and state in ('waiting', 'claimed', 'held', 'dead');--> statement-breakpoint
CREATE INDEX "events_of_reused_keys" ON "events" USING btree ("received_at","same_key_as") WHERE same_key_as is not null;--> statement-breakpoint
CREATE INDEX "events_to_look_at" ON "events" USING btree ("state","id") WHERE (state <> 'routed' or conflict_with is not null) and dismissed_at is null;--> statement-breakpoint
CREATE INDEX "events_in_conflict" ON "events" USING btree ("state") WHERE conflict_with is not null and dismissed_at is null;--> statement-breakpoint
CREATE INDEX "events_of_kind_to_look_at" ON "events" USING btree ("kind","state","id","conflict_with","dismissed_at") WHERE (state <> 'routed' or conflict_with is not null) and dismissed_at is null;--> statement-breakpoint
CREATE INDEX "events_of_submission" ON "events" USING btree ("submission","line") WHERE submission is not null;--> statement-breakpoint
CREATE INDEX "events_of_order" ON "events" USING btree ("entity") WHERE entity like 'order:%';--> statement-breakpoint
CREATE UNIQUE INDEX "findings_by_key" ON "findings" USING btree ("sort","key");--> statement-breakpoint
CREATE INDEX "findings_of_day" ON "findings" USING btree ("sort","day","id");--> statement-breakpoint
CREATE INDEX "findings_of_topic" ON "findings" USING btree ("sort","topic","day","id") WHERE topic is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "gaps_by_key" ON "gaps" USING btree ("key");--> statement-breakpoint
CREATE INDEX "gaps_open" ON "gaps" USING btree ("source","kind","store_id","destination","at") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "gaps_of_state" ON "gaps" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "gaps_of_cause" ON "gaps" USING btree ("cause","first_seen_at");--> statement-breakpoint
CREATE INDEX "gaps_of_kind" ON "gaps" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX "gaps_of_store" ON "gaps" USING btree ("store_id","id") WHERE store_id is not null;--> statement-breakpoint
CREATE INDEX "gaps_of_day" ON "gaps" USING btree ("day","id") WHERE day is not null;--> statement-breakpoint
CREATE INDEX "gaps_of_destination" ON "gaps" USING btree ("destination","id") WHERE destination is not null;--> statement-breakpoint
CREATE INDEX "job_runs_of_job" ON "job_runs" USING btree ("job","id");--> statement-breakpoint
CREATE INDEX "links_of_levels" ON "links" USING btree ("destination") WHERE is_level;--> statement-breakpoint
CREATE INDEX "links_back" ON "links" USING btree ("destination","kind","their_id");--> statement-breakpoint
CREATE INDEX "links_of_id" ON "links" USING btree ("id" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "lookups_of_number" ON "lookups" USING btree ("number");--> statement-breakpoint
CREATE UNIQUE INDEX "mirror_by_key" ON "mirror" USING btree ("set_name","key");--> statement-breakpoint
CREATE INDEX "mirror_of_day" ON "mirror" USING btree ("set_name","day","id");--> statement-breakpoint
CREATE INDEX "mirror_of_place" ON "mirror" USING btree ("set_name","place","day","id") WHERE place is not null;--> statement-breakpoint
CREATE INDEX "mirror_of_article" ON "mirror" USING btree ("set_name","article","day","id") WHERE article is not null;--> statement-breakpoint
CREATE INDEX "mirror_of_part" ON "mirror" USING btree ("set_name","part") WHERE part is not null;--> statement-breakpoint
CREATE INDEX "search_keys_of_event" ON "search_keys" USING btree ("event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "submissions_by_key" ON "submissions" USING btree ("system","resource","key");--> statement-breakpoint
-- What drizzle cannot say; `npm run migrations` puts it at the end of the migration.
-- Of events: an id is drawn before the row is written, because other tables name it in the same commit.
CREATE SEQUENCE event_ids;--> statement-breakpoint
-- Of job runs: one for all, since what counts for itself begins again when its row comes back.
CREATE SEQUENCE fences;--> statement-breakpoint
-- The time of all hubs: a hub whose clock is wrong, or whose process stood still, is not believed.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE AS
  $$ select floor(extract(epoch from statement_timestamp()) * 1000)::bigint $$;--> statement-breakpoint
-- A row a claim, deleted with its outcome: vacuumed early.
ALTER TABLE in_flight SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
-- Settled ones leave entries in the indexes of unsettled ones: vacuumed by their number, not by the size of the table.
ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000, vacuum_index_cleanup = on);--> statement-breakpoint
INSERT INTO partitions (id) SELECT generate_series(0, 63);--> statement-breakpoint
INSERT INTO customer_count (n) VALUES (0);--> statement-breakpoint
INSERT INTO search_index VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 0);
