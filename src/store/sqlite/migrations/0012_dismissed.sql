DROP INDEX `events_to_look_at`;--> statement-breakpoint
ALTER TABLE `events` ADD `dismissed_at` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `dismissed_by` text;--> statement-breakpoint
ALTER TABLE `events` ADD `dismissed_because` text;--> statement-breakpoint
CREATE INDEX `events_to_look_at` ON `events` (`state`,`id`) WHERE (state <> 'routed' or conflict_with is not null) and dismissed_at is null;