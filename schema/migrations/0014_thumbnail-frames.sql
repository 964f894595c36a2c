ALTER TABLE `assets` ADD `thumbnail_frame` text;--> statement-breakpoint
ALTER TABLE `trashed_assets` ADD `thumbnail_frame` text;