CREATE TABLE `gone_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`told` blob NOT NULL,
	`body_hash` blob NOT NULL,
	`revision` integer NOT NULL,
	`received_at` integer NOT NULL,
	`has_key` integer NOT NULL,
	`quarantined` integer NOT NULL,
	`conflict_with` integer,
	`submission` integer
);
--> statement-breakpoint
CREATE TABLE `legal_holds` (
	`event_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`reason` text NOT NULL
);
