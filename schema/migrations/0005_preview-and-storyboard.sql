ALTER TABLE `assets` ADD `preview_key` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `storyboard_key` text;