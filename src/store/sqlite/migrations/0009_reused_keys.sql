ALTER TABLE `events` ADD `same_key_as` integer;--> statement-breakpoint
CREATE INDEX `events_of_reused_keys` ON `events` (`received_at`,`same_key_as`) WHERE same_key_as is not null;