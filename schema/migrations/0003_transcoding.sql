CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`asset_id` text NOT NULL,
	`org_id` text NOT NULL,
	`playback_id` text NOT NULL,
	`status` text NOT NULL,
	`playback` text NOT NULL,
	`ai_options` text NOT NULL,
	`wish` text NOT NULL,
	`info` text,
	`plan` text,
	`encoders` text,
	`duration_sec` real,
	`version` integer DEFAULT 0 NOT NULL,
	`published_version` integer DEFAULT 0 NOT NULL,
	`advance_at` integer,
	`worker_kind` text,
	`hw_accel_used` integer DEFAULT false NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`planned_at` integer,
	`ended_at` integer,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_unfinished` ON `jobs` (`asset_id`) WHERE status in ('queued', 'processing');--> statement-breakpoint
CREATE INDEX `jobs_asset` ON `jobs` (`asset_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_org` ON `jobs` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `jobs_advance` ON `jobs` (`advance_at`) WHERE advance_at is not null;--> statement-breakpoint
CREATE INDEX `jobs_waiting` ON `jobs` (`updated_at`) WHERE status in ('queued', 'processing');--> statement-breakpoint
CREATE INDEX `jobs_ended` ON `jobs` (`ended_at`) WHERE ended_at is not null;--> statement-breakpoint
CREATE TABLE `renditions` (
	`asset_id` text NOT NULL,
	`rung_id` text NOT NULL,
	`job_id` text NOT NULL,
	`position` integer NOT NULL,
	`quality` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`bitrate_kbps` integer NOT NULL,
	`codec` text NOT NULL,
	`download_key` text,
	`download_bytes` integer,
	PRIMARY KEY(`asset_id`, `rung_id`)
);
--> statement-breakpoint
CREATE TABLE `task_failures` (
	`task_id` text NOT NULL,
	`epoch` integer NOT NULL,
	`job_id` text NOT NULL,
	`asset_id` text NOT NULL,
	`org_id` text NOT NULL,
	`machine_id` text,
	`kind` text NOT NULL,
	`reason` text NOT NULL,
	`message` text NOT NULL,
	`log` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`task_id`, `epoch`)
);
--> statement-breakpoint
CREATE INDEX `task_failures_created` ON `task_failures` (`created_at`,`machine_id`);--> statement-breakpoint
CREATE INDEX `task_failures_asset` ON `task_failures` (`asset_id`);--> statement-breakpoint
CREATE TABLE `tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`job_id` text NOT NULL,
	`asset_id` text NOT NULL,
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`position` integer NOT NULL,
	`rank` integer NOT NULL,
	`lane` text NOT NULL,
	`source_id` text,
	`state` text NOT NULL,
	`epoch` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`expiries` integer DEFAULT 0 NOT NULL,
	`redone` integer DEFAULT 0 NOT NULL,
	`machine_id` text,
	`due_at` integer NOT NULL,
	`deadline_at` integer,
	`deadline_sec` integer NOT NULL,
	`spec` text NOT NULL,
	`result` text,
	`progress` real DEFAULT 0 NOT NULL,
	`weight` real NOT NULL,
	`upload_key` text,
	`upload_id` text,
	`work_sec` real,
	`media_sec` real,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tasks_job` ON `tasks` (`job_id`,`kind`,`position`);--> statement-breakpoint
CREATE INDEX `tasks_lane` ON `tasks` (`org_id`,`lane`,`rank`,`created_at`,`id`) WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `tasks_source` ON `tasks` (`source_id`,`rank`,`created_at`,`id`) WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `tasks_running` ON `tasks` (`org_id`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `tasks_machine` ON `tasks` (`machine_id`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `tasks_lease` ON `tasks` (`due_at`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `tasks_asset` ON `tasks` (`asset_id`);--> statement-breakpoint
CREATE INDEX `tasks_done` ON `tasks` (`ended_at`,`machine_id`) WHERE state = 'done';--> statement-breakpoint
ALTER TABLE `machines` ADD `start_hook` text;