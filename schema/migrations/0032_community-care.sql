ALTER TABLE `communities` ADD `reactions` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `post_comments` ADD `hidden_reason` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `hidden_reason` text;--> statement-breakpoint
CREATE INDEX `memberships_role` ON `memberships` (`community_id`,`role`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `memberships_status` ON `memberships` (`community_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `notifications_unread_list` ON `notifications` (`membership_id`,`created_at`,`id`) WHERE read_at is null;