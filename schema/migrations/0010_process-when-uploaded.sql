ALTER TABLE `assets` ADD `process_when_uploaded` text;--> statement-breakpoint
ALTER TABLE `trashed_assets` ADD `process_when_uploaded` text;