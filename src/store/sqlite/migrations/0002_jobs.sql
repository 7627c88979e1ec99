CREATE TABLE `job_runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`job` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`problem` text,
	`note` text
);
--> statement-breakpoint
CREATE INDEX `job_runs_of_job` ON `job_runs` (`job`,`id`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`name` text PRIMARY KEY NOT NULL,
	`state` text,
	`started_at` integer NOT NULL,
	`succeeded_at` integer,
	`failed_at` integer,
	`problem` text,
	`note` text,
	`failures` integer NOT NULL,
	`under_way` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `stores` (
	`store_id` text PRIMARY KEY NOT NULL,
	`number` text,
	`name` text,
	`stock_id` text,
	`country_code` text,
	`currency` text,
	`zone` text,
	`gone_at` integer
);
