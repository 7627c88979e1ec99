-- WITHOUT ROWID by hand, as `keys`: one tree.
CREATE TABLE `acknowledged` (
	`destination` text NOT NULL,
	`flow` text NOT NULL,
	`entity` text NOT NULL,
	`digest` text NOT NULL,
	PRIMARY KEY(`destination`, `flow`, `entity`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `submissions` (
	`id` integer PRIMARY KEY NOT NULL,
	`system` text NOT NULL,
	`resource` text NOT NULL,
	`key` text NOT NULL,
	`received_at` integer NOT NULL,
	`end` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `submissions_by_key` ON `submissions` (`system`,`resource`,`key`);--> statement-breakpoint
ALTER TABLE `deliveries` ADD `latest_wins` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `digest` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `force` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_latest_wins` ON `deliveries` (`destination`,`entity`,`flow`) WHERE latest_wins = 1 and state in ('waiting', 'dead', 'skipped');--> statement-breakpoint
ALTER TABLE `events` ADD `submission` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `line` integer;--> statement-breakpoint
CREATE INDEX `events_of_submission` ON `events` (`submission`,`line`) WHERE submission is not null;