CREATE TABLE `customer_count` (
	`n` integer NOT NULL
);
--> statement-breakpoint
-- The one row.
INSERT INTO `customer_count` (`n`) VALUES (0);--> statement-breakpoint
CREATE TABLE `customers` (
	`id` integer PRIMARY KEY NOT NULL,
	`customer_id` text,
	`ext_id` text,
	`email` text,
	`phone` text,
	`first_name` text,
	`last_name` text,
	`company_name` text,
	`address` text,
	`postal_code` text,
	`city` text,
	`country_code` text,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `customers_by_customer_id` ON `customers` (`customer_id`) WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX `customers_by_ext_id` ON `customers` (`ext_id`) WHERE ext_id is not null;--> statement-breakpoint
CREATE INDEX `customers_by_email` ON `customers` (`email`) WHERE email is not null;--> statement-breakpoint
CREATE INDEX `customers_by_phone` ON `customers` (`phone`) WHERE phone is not null;--> statement-breakpoint
CREATE TABLE `lookups` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`number` text NOT NULL,
	`found` text NOT NULL,
	`missing` text NOT NULL,
	`ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `lookups_of_number` ON `lookups` (`number`);--> statement-breakpoint
-- WITHOUT ROWID by hand, as before: one tree.
CREATE TABLE `__new_acknowledged` (
	`destination` text NOT NULL,
	`flow` text NOT NULL,
	`subject` text NOT NULL,
	`digest` text,
	`version` integer,
	PRIMARY KEY(`destination`, `flow`, `subject`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_acknowledged`("destination", "flow", "subject", "digest") SELECT "destination", "flow", "entity", "digest" FROM `acknowledged`;--> statement-breakpoint
DROP TABLE `acknowledged`;--> statement-breakpoint
ALTER TABLE `__new_acknowledged` RENAME TO `acknowledged`;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `subject` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `version` integer;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `effect` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `unless` text;--> statement-breakpoint
CREATE INDEX `deliveries_of_effect` ON `deliveries` (`effect`) WHERE effect is not null;--> statement-breakpoint
CREATE INDEX `deliveries_of_order` ON `deliveries` (`entity`) WHERE entity glob 'order:*';--> statement-breakpoint
CREATE INDEX `deliveries_once_unsettled` ON `deliveries` (`flow`,`id`) WHERE once = 1 and state in ('waiting', 'claimed', 'held', 'dead');--> statement-breakpoint
CREATE INDEX `events_of_order` ON `events` (`entity`) WHERE entity glob 'order:*';--> statement-breakpoint
CREATE INDEX `links_of_order` ON `links` (`id`) WHERE kind in ('order', 'draft', 'shipment', 'refund', 'declined', 'returned');