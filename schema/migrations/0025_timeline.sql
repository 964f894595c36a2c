ALTER TABLE `assets` ADD `source_received_at` integer;--> statement-breakpoint
ALTER TABLE `task_failures` ADD `started_at` integer;