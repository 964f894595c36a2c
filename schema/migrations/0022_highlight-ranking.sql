ALTER TABLE `highlights` ADD `rewatch` real;--> statement-breakpoint
ALTER TABLE `highlights` ADD `ranked_at` integer;