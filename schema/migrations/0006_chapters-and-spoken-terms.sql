CREATE TABLE `spoken_terms` (
	`org_id` text NOT NULL,
	`term` text NOT NULL,
	`asset_id` text NOT NULL,
	PRIMARY KEY(`org_id`, `term`, `asset_id`)
);
--> statement-breakpoint
CREATE INDEX `spoken_terms_asset` ON `spoken_terms` (`asset_id`,`term`);--> statement-breakpoint
ALTER TABLE `assets` ADD `chapters_key` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `chapters_edited_at` integer;--> statement-breakpoint
ALTER TABLE `assets` ADD `chapters_transcript_key` text;