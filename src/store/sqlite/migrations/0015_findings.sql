CREATE TABLE `findings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`sort` text NOT NULL,
	`key` text NOT NULL,
	`topic` text,
	`day` text NOT NULL,
	`version` integer NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `findings_by_key` ON `findings` (`sort`,`key`);--> statement-breakpoint
CREATE INDEX `findings_of_day` ON `findings` (`sort`,`day`);--> statement-breakpoint
CREATE INDEX `findings_of_topic` ON `findings` (`sort`,`topic`,`day`) WHERE topic is not null;--> statement-breakpoint
-- The mirror kept them before, each by its own columns.
INSERT INTO `findings` (`sort`, `key`, `topic`, `day`, `version`, `body`)
	SELECT CASE `set_name` WHEN 'differences' THEN 'stock-difference' WHEN 'product-differences' THEN 'product-difference'
			WHEN 'words' THEN 'word' ELSE `set_name` END,
		`key`, CASE `set_name` WHEN 'differences' THEN `part` ELSE `place` END, `day`, `version`,
		CASE `set_name` WHEN 'unsellable' THEN json_set(`body`, '$.list', `place`) ELSE `body` END
	FROM `mirror` WHERE `set_name` IN ('differences', 'product-differences', 'unsellable', 'words') ORDER BY `id`;--> statement-breakpoint
DELETE FROM `mirror` WHERE `set_name` IN ('differences', 'product-differences', 'unsellable', 'words');
