CREATE TABLE `ai_budgets` (
	`org_id` text PRIMARY KEY NOT NULL,
	`max_audio_ms` integer,
	`max_cost_micros` integer,
	`month` text NOT NULL,
	`audio_ms` integer DEFAULT 0 NOT NULL,
	`cost_micros` integer DEFAULT 0 NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `ai_calls` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`provider` text NOT NULL,
	`model` text,
	`audio_ms` integer NOT NULL,
	`cost_micros` integer NOT NULL,
	`month` text NOT NULL,
	`status` text NOT NULL,
	`error_code` text,
	`ms` integer,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`subject` text,
	`epoch` integer DEFAULT 0 NOT NULL,
	`remote_id` text,
	`language` text,
	`check_at` integer,
	`checks` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `ai_calls_open` ON `ai_calls` (`check_at`) WHERE status in ('running', 'waiting');--> statement-breakpoint
CREATE INDEX `ai_calls_created` ON `ai_calls` (`created_at`);--> statement-breakpoint
CREATE INDEX `ai_calls_org` ON `ai_calls` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `ai_calls_subject` ON `ai_calls` (`subject`) WHERE status in ('running', 'waiting');--> statement-breakpoint
CREATE TABLE `ai_circuits` (
	`org_id` text NOT NULL,
	`provider` text NOT NULL,
	`failures` integer NOT NULL,
	`open_until` integer NOT NULL,
	`open_ms` integer NOT NULL,
	`reason` text,
	PRIMARY KEY(`org_id`, `provider`)
);
--> statement-breakpoint
CREATE TABLE `ai_deliveries` (
	`call_id` text NOT NULL,
	`delivery_id` text NOT NULL,
	`org_id` text NOT NULL,
	`body_key` text NOT NULL,
	`received_at` integer NOT NULL,
	`due_at` integer,
	PRIMARY KEY(`call_id`, `delivery_id`)
);
--> statement-breakpoint
CREATE INDEX `ai_deliveries_due` ON `ai_deliveries` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `ai_deliveries_received` ON `ai_deliveries` (`received_at`);--> statement-breakpoint
CREATE INDEX `ai_deliveries_org` ON `ai_deliveries` (`org_id`);--> statement-breakpoint
CREATE TABLE `ai_engines` (
	`org_id` text NOT NULL,
	`purpose` text NOT NULL,
	`provider` text NOT NULL,
	`base_url` text,
	`model` text,
	`language` text,
	`price_per_minute_micros` integer,
	`sealed_key` text,
	`key_last_four` text,
	`key_updated_at` integer,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `purpose`)
);
