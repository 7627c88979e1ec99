CREATE TABLE `acknowledged` (
	`destination` text NOT NULL,
	`flow` text NOT NULL,
	`subject` text NOT NULL,
	`digest` text,
	`version` integer,
	PRIMARY KEY(`destination`, `flow`, `subject`)
) WITHOUT ROWID;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `attempts` (
	`delivery_id` integer NOT NULL,
	`at` integer NOT NULL,
	`ms` integer NOT NULL,
	`outcome` text NOT NULL,
	`code` text NOT NULL,
	`note` text
);
--> statement-breakpoint
CREATE INDEX `attempts_of_delivery` ON `attempts` (`delivery_id`);--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`action` text NOT NULL,
	`reason` text,
	`selection` text NOT NULL,
	`changed` integer NOT NULL,
	`refused` text,
	`role` text,
	`address` text,
	`words` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE INDEX `audit_of_person` ON `audit` (`by`,`at`);--> statement-breakpoint
CREATE INDEX `audit_of_action` ON `audit` (`action`,`at`);--> statement-breakpoint
CREATE TABLE `audit_chain` (
	`id` integer PRIMARY KEY NOT NULL,
	`anchor` text NOT NULL,
	`head` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_deliveries` (
	`delivery_id` integer NOT NULL,
	`audit_id` integer NOT NULL,
	PRIMARY KEY(`delivery_id`, `audit_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `audit_deliveries_of_act` ON `audit_deliveries` (`audit_id`,`delivery_id`);--> statement-breakpoint
CREATE TABLE `audit_events` (
	`event_id` integer NOT NULL,
	`audit_id` integer NOT NULL,
	PRIMARY KEY(`event_id`, `audit_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `audit_events_of_act` ON `audit_events` (`audit_id`,`event_id`);--> statement-breakpoint
CREATE TABLE `bulk_acts` (
	`act` integer PRIMARY KEY NOT NULL,
	`matched` integer NOT NULL,
	`after` integer NOT NULL,
	`ended_at` integer,
	`outcome` text,
	`problem` text
);
--> statement-breakpoint
CREATE INDEX `bulk_acts_running` ON `bulk_acts` (`act`) WHERE ended_at is null;--> statement-breakpoint
CREATE TABLE `console_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `console_sessions_of_user` ON `console_sessions` (`name`);--> statement-breakpoint
CREATE TABLE `console_users` (
	`name` text PRIMARY KEY NOT NULL,
	`role` text NOT NULL,
	`password` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`disabled_at` integer,
	`subject` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `console_users_of_subject` ON `console_users` (`subject`);--> statement-breakpoint
CREATE TABLE `covered` (
	`source` text NOT NULL,
	`scope` text NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	PRIMARY KEY(`source`, `scope`, `from_at`)
);
--> statement-breakpoint
CREATE TABLE `customer_count` (
	`n` integer NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`event_id` integer NOT NULL,
	`flow` text NOT NULL,
	`part` text NOT NULL,
	`destination` text NOT NULL,
	`urgency` text NOT NULL,
	`entity` text,
	`batch` text,
	`once` integer NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`open` integer DEFAULT false NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`finds` integer DEFAULT 0 NOT NULL,
	`first_tried_at` integer,
	`failing_since` integer,
	`settled_at` integer,
	`code` text,
	`why` text,
	`latest_wins` integer DEFAULT false NOT NULL,
	`digest` text,
	`force` integer DEFAULT false NOT NULL,
	`subject` text,
	`version` integer,
	`effect` text,
	`said` text,
	`unless` text,
	`released` text,
	`crashes` integer DEFAULT 0 NOT NULL,
	`yields` integer DEFAULT false NOT NULL,
	`took_ms` integer,
	`took_note` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_of_event` ON `deliveries` (`event_id`,`flow`,`part`,`destination`);--> statement-breakpoint
CREATE INDEX `deliveries_unsettled` ON `deliveries` (`destination`,`urgency`,`event_id`,`id`,`state`) WHERE state in ('waiting', 'claimed', 'held', 'dead');--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`destination`,`urgency`,`state`,`open`,`code`,`event_id`) WHERE state in ('held', 'dead');--> statement-breakpoint
CREATE INDEX `deliveries_latest_wins` ON `deliveries` (`destination`,`entity`,`flow`) WHERE latest_wins = 1 and state in ('waiting', 'dead', 'skipped');--> statement-breakpoint
CREATE INDEX `deliveries_of_effect` ON `deliveries` (`effect`) WHERE effect is not null;--> statement-breakpoint
CREATE INDEX `deliveries_of_order` ON `deliveries` (`entity`) WHERE entity glob 'order:*';--> statement-breakpoint
CREATE INDEX `deliveries_skipped` ON `deliveries` (`id`) WHERE state = 'skipped';--> statement-breakpoint
CREATE INDEX `deliveries_once_unsettled` ON `deliveries` (`flow`,`id`) WHERE once = 1 and state in ('waiting', 'claimed', 'held', 'dead');--> statement-breakpoint
CREATE TABLE `endpoint_uses` (
	`operation` text PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`first_at` integer NOT NULL,
	`first` text NOT NULL,
	`came` text NOT NULL,
	`since` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`origin` text NOT NULL,
	`subscription` text,
	`state` text NOT NULL,
	`conflict_with` integer,
	`received_at` integer NOT NULL,
	`transport_key` text,
	`identity` text,
	`revision` integer NOT NULL,
	`entity` text,
	`facts` text,
	`problem` text,
	`size` integer NOT NULL,
	`body_hash` text NOT NULL,
	`submission` integer,
	`line` integer,
	`same_key_as` integer,
	`dismissed_at` integer,
	`dismissed_by` text,
	`dismissed_because` text
);
--> statement-breakpoint
CREATE INDEX `events_of_reused_keys` ON `events` (`received_at`,`same_key_as`) WHERE same_key_as is not null;--> statement-breakpoint
CREATE INDEX `events_to_look_at` ON `events` (`state`,`id`) WHERE (state <> 'routed' or conflict_with is not null) and dismissed_at is null;--> statement-breakpoint
CREATE INDEX `events_in_conflict` ON `events` (`state`) WHERE conflict_with is not null and dismissed_at is null;--> statement-breakpoint
CREATE INDEX `events_of_kind_to_look_at` ON `events` (`kind`,`state`,`id`,`conflict_with`,`dismissed_at`) WHERE (state <> 'routed' or conflict_with is not null) and dismissed_at is null;--> statement-breakpoint
CREATE INDEX `events_of_submission` ON `events` (`submission`,`line`) WHERE submission is not null;--> statement-breakpoint
CREATE INDEX `events_of_order` ON `events` (`entity`) WHERE entity glob 'order:*';--> statement-breakpoint
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
CREATE TABLE `gaps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`source` text NOT NULL,
	`cause` text NOT NULL,
	`kind` text,
	`store_id` text,
	`destination` text,
	`day` text,
	`at` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`state` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gaps_by_key` ON `gaps` (`key`);--> statement-breakpoint
CREATE INDEX `gaps_open` ON `gaps` (`source`,`kind`,`store_id`,`destination`,`at`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `gaps_of_state` ON `gaps` (`state`);--> statement-breakpoint
CREATE INDEX `gaps_of_cause` ON `gaps` (`cause`,`first_seen_at`);--> statement-breakpoint
CREATE INDEX `gaps_of_kind` ON `gaps` (`kind`);--> statement-breakpoint
CREATE INDEX `gaps_of_store` ON `gaps` (`store_id`) WHERE store_id is not null;--> statement-breakpoint
CREATE INDEX `gaps_of_day` ON `gaps` (`day`) WHERE day is not null;--> statement-breakpoint
CREATE INDEX `gaps_of_destination` ON `gaps` (`destination`) WHERE destination is not null;--> statement-breakpoint
CREATE TABLE `gone_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` blob NOT NULL,
	`body_hash` blob NOT NULL,
	`revision` integer NOT NULL,
	`received_at` integer NOT NULL,
	`has_key` integer NOT NULL,
	`quarantined` integer NOT NULL,
	`conflict_with` integer,
	`submission` integer
);
--> statement-breakpoint
CREATE TABLE `in_flight` (
	`delivery_id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
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
	`under_way` integer NOT NULL,
	`lease_until` integer,
	`fence` integer
);
--> statement-breakpoint
CREATE TABLE `keys` (
	`key` blob PRIMARY KEY NOT NULL,
	`event_id` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `keys_merged` (
	`up_to` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `legal_holds` (
	`event_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`reason` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `links` (
	`destination` text NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`their_id` text NOT NULL,
	`is_level` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`destination`, `kind`, `id`, `their_id`)
);
--> statement-breakpoint
CREATE INDEX `links_of_levels` ON `links` (`destination`) WHERE is_level = 1;--> statement-breakpoint
CREATE INDEX `links_back` ON `links` (`destination`,`kind`,`their_id`,`id`);--> statement-breakpoint
CREATE INDEX `links_of_id` ON `links` (`id`);--> statement-breakpoint
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
CREATE TABLE `pauses` (
	`destination` text NOT NULL,
	`urgency` text NOT NULL,
	`until` integer,
	`why` text NOT NULL,
	PRIMARY KEY(`destination`, `urgency`)
);
--> statement-breakpoint
CREATE TABLE `payloads` (
	`event_id` integer PRIMARY KEY NOT NULL,
	`headers` text NOT NULL,
	`body` blob NOT NULL,
	`dictionary` integer
);
--> statement-breakpoint
CREATE TABLE `search_index` (
	`secret` blob NOT NULL,
	`up_to` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `search_keys` (
	`key` integer NOT NULL,
	`event_id` integer NOT NULL,
	PRIMARY KEY(`key`, `event_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `search_keys_of_event` ON `search_keys` (`event_id`);--> statement-breakpoint
CREATE TABLE `stores` (
	`store_id` text PRIMARY KEY NOT NULL,
	`number` text,
	`name` text,
	`stock_id` text,
	`country_code` text,
	`currency` text,
	`zone` text,
	`gone_at` integer,
	`former` text
);
--> statement-breakpoint
CREATE TABLE `submissions` (
	`id` integer PRIMARY KEY NOT NULL,
	`system` text NOT NULL,
	`resource` text NOT NULL,
	`key` text NOT NULL,
	`received_at` integer NOT NULL,
	`end` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `submissions_by_key` ON `submissions` (`system`,`resource`,`key`);--> statement-breakpoint
CREATE TABLE `watermarks` (
	`level` text NOT NULL,
	`kind` text NOT NULL,
	`store_id` text NOT NULL,
	`from_at` integer NOT NULL,
	`until_at` integer NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`level`, `kind`, `store_id`)
);
--> statement-breakpoint
-- What drizzle cannot say; `npm run migrations` puts it at the end of the migration.
INSERT INTO `keys_merged` (`up_to`) VALUES (0);--> statement-breakpoint
INSERT INTO `customer_count` (`n`) VALUES (0);--> statement-breakpoint
INSERT INTO `search_index` VALUES (randomblob(32), 0);
