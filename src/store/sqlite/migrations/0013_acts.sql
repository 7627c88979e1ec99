-- WITHOUT ROWID by hand, as `keys`: one tree. So are the rows that go from one table to another, and the first of `search_index`.
CREATE TABLE `audit_deliveries` (
	`delivery_id` integer NOT NULL,
	`audit_id` integer NOT NULL,
	PRIMARY KEY(`delivery_id`, `audit_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `audit_deliveries_of_act` ON `audit_deliveries` (`audit_id`,`delivery_id`);--> statement-breakpoint
CREATE TABLE `audit_events` (
	`event_id` integer NOT NULL,
	`audit_id` integer NOT NULL,
	PRIMARY KEY(`event_id`, `audit_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `audit_events_of_act` ON `audit_events` (`audit_id`,`event_id`);--> statement-breakpoint
CREATE TABLE `search_index` (
	`secret` blob NOT NULL,
	`up_to` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `search_keys` (
	`segment` integer NOT NULL,
	`key` blob NOT NULL,
	`event_id` integer NOT NULL,
	PRIMARY KEY(`segment`, `key`, `event_id`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `audit` ADD `refused` text;--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE INDEX `audit_of_person` ON `audit` (`by`,`at`);--> statement-breakpoint
CREATE INDEX `audit_of_action` ON `audit` (`action`,`at`);--> statement-breakpoint
INSERT INTO `audit_deliveries` SELECT `delivery_id`, `id` FROM `audit` WHERE `delivery_id` IS NOT NULL;--> statement-breakpoint
INSERT INTO `search_index` VALUES (randomblob(32), 0);--> statement-breakpoint
DROP INDEX `audit_of_delivery`;