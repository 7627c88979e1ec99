CREATE TABLE `payload_blocks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`first_event` integer NOT NULL,
	`last_event` integer NOT NULL,
	`payloads` integer NOT NULL,
	`size` integer NOT NULL,
	`body` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payload_blocks_of_kind` ON `payload_blocks` (`kind`,`first_event`);--> statement-breakpoint
CREATE TABLE `search_blocks` (
	`place` integer PRIMARY KEY NOT NULL,
	`body` blob NOT NULL
);
--> statement-breakpoint
ALTER TABLE `deliveries` ADD `took_ms` integer;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `took_note` text;