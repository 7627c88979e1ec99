DROP INDEX `links_back`;--> statement-breakpoint
CREATE INDEX `links_back` ON `links` (`destination`,`kind`,`their_id`,`id`);