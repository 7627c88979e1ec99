CREATE INDEX `deliveries_skipped` ON `deliveries` (`id`) WHERE state = 'skipped';--> statement-breakpoint
CREATE INDEX `events_of_kind_to_look_at` ON `events` (`kind`,`state`,`id`) WHERE (state <> 'routed' or conflict_with is not null) and dismissed_at is null;--> statement-breakpoint
CREATE INDEX `links_of_levels` ON `links` (`destination`) WHERE is_level = 1;