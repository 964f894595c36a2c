ALTER TABLE `memberships` ADD `notifications_seen_at` integer;--> statement-breakpoint
ALTER TABLE `notifications` ADD `archived_at` integer;