CREATE TABLE `attempts` (
	`delivery_id` integer NOT NULL,
	`at` integer NOT NULL,
	`ms` integer NOT NULL,
	`outcome` text NOT NULL,
	`code` text NOT NULL,
	`note` text
);
--> statement-breakpoint
CREATE INDEX `attempts_of_delivery` ON `attempts` (`delivery_id`);--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`action` text NOT NULL,
	`reason` text,
	`selection` text NOT NULL,
	`changed` integer NOT NULL,
	`delivery_id` integer
);
--> statement-breakpoint
CREATE INDEX `audit_of_delivery` ON `audit` (`delivery_id`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`event_id` integer NOT NULL,
	`flow` text NOT NULL,
	`part` text NOT NULL,
	`destination` text NOT NULL,
	`urgency` text NOT NULL,
	`entity` text,
	`batch` text,
	`once` integer NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`open` integer DEFAULT false NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`finds` integer DEFAULT 0 NOT NULL,
	`first_tried_at` integer,
	`failing_since` integer,
	`settled_at` integer,
	`code` text,
	`why` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_of_event` ON `deliveries` (`event_id`,`flow`,`part`,`destination`);--> statement-breakpoint
CREATE INDEX `deliveries_unsettled` ON `deliveries` (`destination`,`urgency`,`id`,`state`) WHERE state in ('waiting', 'claimed', 'held', 'dead');--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`origin` text NOT NULL,
	`subscription` text,
	`state` text NOT NULL,
	`conflict_with` integer,
	`received_at` integer NOT NULL,
	`transport_key` text,
	`identity` text,
	`revision` integer NOT NULL,
	`entity` text,
	`facts` text,
	`problem` text,
	`size` integer NOT NULL,
	`body_hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_to_look_at` ON `events` (`state`,`id`) WHERE state <> 'routed' or conflict_with is not null;--> statement-breakpoint
-- WITHOUT ROWID by hand (drizzle cannot say it): one tree instead of a table and an index over random keys.
CREATE TABLE `keys` (
	`key` blob PRIMARY KEY NOT NULL,
	`event_id` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `links` (
	`destination` text NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`their_id` text NOT NULL,
	PRIMARY KEY(`destination`, `kind`, `id`, `their_id`)
);
--> statement-breakpoint
CREATE INDEX `links_back` ON `links` (`destination`,`kind`,`their_id`);--> statement-breakpoint
CREATE TABLE `pauses` (
	`destination` text NOT NULL,
	`urgency` text NOT NULL,
	`until` integer,
	`why` text NOT NULL,
	PRIMARY KEY(`destination`, `urgency`)
);
--> statement-breakpoint
CREATE TABLE `payloads` (
	`event_id` integer PRIMARY KEY NOT NULL,
	`headers` text NOT NULL,
	`body` blob NOT NULL
);
