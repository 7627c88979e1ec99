CREATE TABLE `covered` (
	`road` text NOT NULL,
	`scope` text NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	PRIMARY KEY(`road`, `scope`, `from_at`)
);
--> statement-breakpoint
CREATE TABLE `gaps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`road` text NOT NULL,
	`cause` text NOT NULL,
	`kind` text,
	`store_id` text,
	`destination` text,
	`day` text,
	`at` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`state` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gaps_by_key` ON `gaps` (`key`);--> statement-breakpoint
CREATE INDEX `gaps_open` ON `gaps` (`road`,`kind`,`store_id`,`destination`,`at`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `gaps_of_state` ON `gaps` (`state`);--> statement-breakpoint
CREATE INDEX `gaps_of_cause` ON `gaps` (`cause`,`first_seen_at`);--> statement-breakpoint
CREATE INDEX `gaps_of_kind` ON `gaps` (`kind`);--> statement-breakpoint
CREATE INDEX `gaps_of_store` ON `gaps` (`store_id`) WHERE store_id is not null;--> statement-breakpoint
CREATE INDEX `gaps_of_day` ON `gaps` (`day`) WHERE day is not null;--> statement-breakpoint
CREATE INDEX `gaps_of_destination` ON `gaps` (`destination`) WHERE destination is not null;--> statement-breakpoint
CREATE TABLE `watermarks` (
	`level` text NOT NULL,
	`kind` text NOT NULL,
	`store_id` text NOT NULL,
	`from_at` integer NOT NULL,
	`until_at` integer NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`level`, `kind`, `store_id`)
);
