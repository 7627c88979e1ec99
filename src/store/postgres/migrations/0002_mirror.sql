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
ALTER TABLE "deliveries" ADD COLUMN "released" text;--> statement-breakpoint
CREATE UNIQUE INDEX "mirror_by_key" ON "mirror" USING btree ("set_name","key");--> statement-breakpoint
CREATE INDEX "mirror_of_day" ON "mirror" USING btree ("set_name","day","id");--> statement-breakpoint
CREATE INDEX "mirror_of_place" ON "mirror" USING btree ("set_name","place","day","id") WHERE place is not null;--> statement-breakpoint
CREATE INDEX "mirror_of_article" ON "mirror" USING btree ("set_name","article","day","id") WHERE article is not null;--> statement-breakpoint
CREATE INDEX "mirror_of_part" ON "mirror" USING btree ("set_name","part") WHERE part is not null;