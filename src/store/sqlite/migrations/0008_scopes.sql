ALTER TABLE `api_keys` ADD `made_before_scopes` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Keys that are there keep what they could: to read everything, and those for orders to change the orders of every system.
UPDATE `api_keys` SET `made_before_scopes` = true, `scopes` = `scopes`
	|| CASE WHEN ',' || `scopes` || ',' LIKE '%,orders,%' THEN ',orders:any' ELSE '' END
	|| ',read:*';
