CREATE TABLE `subtitle_translations` (
	`asset_id` text NOT NULL,
	`language` text NOT NULL,
	`org_id` text NOT NULL,
	`source_language` text NOT NULL,
	`source_key` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`replaceable_key` text,
	`version` integer NOT NULL,
	`cues` integer,
	`done_cues` integer DEFAULT 0 NOT NULL,
	`retries` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`asset_id`, `language`)
);
--> statement-breakpoint
CREATE INDEX `subtitle_translations_due` ON `subtitle_translations` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `subtitle_translations_org` ON `subtitle_translations` (`org_id`);--> statement-breakpoint
CREATE TABLE `translated_batches` (
	`asset_id` text NOT NULL,
	`language` text NOT NULL,
	`first_cue` integer NOT NULL,
	`texts` text NOT NULL,
	PRIMARY KEY(`asset_id`, `language`, `first_cue`)
);
--> statement-breakpoint
ALTER TABLE `ai_budgets` ADD `max_tokens` integer;--> statement-breakpoint
ALTER TABLE `ai_budgets` ADD `tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `ai_calls` ADD `purpose` text DEFAULT 'transcription' NOT NULL;--> statement-breakpoint
ALTER TABLE `ai_calls` ADD `tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `ai_engines` ADD `input_price_micros` integer;--> statement-breakpoint
ALTER TABLE `ai_engines` ADD `output_price_micros` integer;--> statement-breakpoint
ALTER TABLE `asset_subtitles` ADD `source` text DEFAULT 'upload' NOT NULL;