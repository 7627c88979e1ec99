CREATE TABLE "covered" (
	"road" text NOT NULL,
	"scope" text NOT NULL,
	"from_at" bigint NOT NULL,
	"to_at" bigint NOT NULL,
	CONSTRAINT "covered_road_scope_from_at_pk" PRIMARY KEY("road","scope","from_at")
);
--> statement-breakpoint
CREATE TABLE "gaps" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"road" text NOT NULL,
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
CREATE UNIQUE INDEX "gaps_by_key" ON "gaps" USING btree ("key");--> statement-breakpoint
CREATE INDEX "gaps_open" ON "gaps" USING btree ("road","kind","store_id","destination","at") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "gaps_of_state" ON "gaps" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "gaps_of_cause" ON "gaps" USING btree ("cause","first_seen_at");--> statement-breakpoint
CREATE INDEX "gaps_of_kind" ON "gaps" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX "gaps_of_store" ON "gaps" USING btree ("store_id","id") WHERE store_id is not null;--> statement-breakpoint
CREATE INDEX "gaps_of_day" ON "gaps" USING btree ("day","id") WHERE day is not null;--> statement-breakpoint
CREATE INDEX "gaps_of_destination" ON "gaps" USING btree ("destination","id") WHERE destination is not null;