DROP INDEX `links_of_order`;--> statement-breakpoint
ALTER TABLE `links` ADD `is_level` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Those that are there were kept by the rule of then: by their kind.
UPDATE `links` SET `is_level` = true WHERE `kind` IN ('declined', 'declined-as', 'returned', 'returned-as', 'received', 'paid');--> statement-breakpoint
CREATE INDEX `links_of_id` ON `links` (`id`);
