CREATE TABLE `keys_merged` (
	`up_to` integer NOT NULL
);
--> statement-breakpoint
-- The one row: until now every key was in its table at once.
INSERT INTO `keys_merged` (`up_to`) SELECT coalesce(max(`id`), 0) FROM `events`;
