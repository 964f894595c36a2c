ALTER TABLE `machines` ADD `evicted_at` integer;--> statement-breakpoint
ALTER TABLE `machines` ADD `registered_with` text;