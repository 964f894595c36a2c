ALTER TABLE `jobs` ADD `trace_id` text;--> statement-breakpoint
CREATE INDEX `dead_letters_unsent` ON `dead_letters` (`created_at`) WHERE retried_at is null;