CREATE TABLE `mirror` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`set_name` text NOT NULL,
	`key` text NOT NULL,
	`place` text,
	`article` text,
	`day` text NOT NULL,
	`part` text,
	`version` integer NOT NULL,
	`tie` integer NOT NULL,
	`body` text NOT NULL,
	`saved_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mirror_by_key` ON `mirror` (`set_name`,`key`);--> statement-breakpoint
CREATE INDEX `mirror_of_day` ON `mirror` (`set_name`,`day`);--> statement-breakpoint
CREATE INDEX `mirror_of_place` ON `mirror` (`set_name`,`place`,`day`) WHERE place is not null;--> statement-breakpoint
CREATE INDEX `mirror_of_article` ON `mirror` (`set_name`,`article`,`day`) WHERE article is not null;--> statement-breakpoint
CREATE INDEX `mirror_of_part` ON `mirror` (`set_name`,`part`) WHERE part is not null;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `released` text;