ALTER TABLE `backups` ADD `drilled_at` integer;--> statement-breakpoint
ALTER TABLE `backups` ADD `drill_error` text;