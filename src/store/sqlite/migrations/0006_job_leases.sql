ALTER TABLE `jobs` ADD `lease_until` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `fence` integer;