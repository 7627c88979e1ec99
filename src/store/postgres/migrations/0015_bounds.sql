DROP INDEX "deliveries_of_strand";--> statement-breakpoint
ALTER TABLE "attempts" ADD PRIMARY KEY ("id");--> statement-breakpoint
CREATE INDEX "deliveries_skipped" ON "deliveries" USING btree ("id") WHERE state = 'skipped';--> statement-breakpoint
CREATE INDEX "events_of_kind_to_look_at" ON "events" USING btree ("kind","state","id") WHERE (state <> 'routed' or conflict_with is not null) and dismissed_at is null;--> statement-breakpoint
CREATE INDEX "links_of_levels" ON "links" USING btree ("destination") WHERE is_level;--> statement-breakpoint
CREATE INDEX "deliveries_of_strand" ON "deliveries" USING btree ("strand","event_id","id") WHERE state in ('waiting', 'claimed', 'held') or fence is not null;