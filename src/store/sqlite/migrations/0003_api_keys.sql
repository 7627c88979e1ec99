CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`system` text NOT NULL,
	`scopes` text NOT NULL,
	`secret_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
);
