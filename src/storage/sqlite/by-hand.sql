-- What drizzle cannot say; `npm run migrations` puts it at the end of the migration.
INSERT INTO `keys_merged` (`up_to`) VALUES (0);--> statement-breakpoint
INSERT INTO `customer_count` (`n`) VALUES (0);--> statement-breakpoint
INSERT INTO `search_index` VALUES (randomblob(32), 0);
