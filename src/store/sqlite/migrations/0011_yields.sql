DROP INDEX `deliveries_unsettled`;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `yields` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_unsettled` ON `deliveries` (`destination`,`urgency`,`event_id`,`id`,`state`) WHERE state in ('waiting', 'claimed', 'held', 'dead');