CREATE TABLE `ai_steps` (
	`asset_id` text NOT NULL,
	`step` text NOT NULL,
	`org_id` text NOT NULL,
	`job_id` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`version` integer NOT NULL,
	`language` text,
	`is_forced` integer NOT NULL,
	`is_announced` integer NOT NULL,
	`started_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`asset_id`, `step`)
);
--> statement-breakpoint
CREATE INDEX `ai_steps_open` ON `ai_steps` (`updated_at`) WHERE status in ('pending', 'processing');--> statement-breakpoint
ALTER TABLE `assets` ADD `transcript_by` text;