ALTER TABLE `sessions` ADD `country` text;--> statement-breakpoint
ALTER TABLE `impersonations` ADD `last_seen_at` integer;