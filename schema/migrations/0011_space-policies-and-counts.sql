ALTER TABLE `memberships` ADD `spaces_seen` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `spaces` ADD `emoji` text;--> statement-breakpoint
ALTER TABLE `spaces` ADD `description` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `spaces` ADD `post_policy` text DEFAULT 'everyone' NOT NULL;--> statement-breakpoint
ALTER TABLE `spaces` ADD `comment_policy` text DEFAULT 'everyone' NOT NULL;--> statement-breakpoint
ALTER TABLE `spaces` ADD `posts_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `waitlisted_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `spaces` SET `posts_count` = (SELECT count(*) FROM `posts` WHERE `posts`.`space_id` = `spaces`.`id` AND `posts`.`deleted_at` IS NULL);--> statement-breakpoint
UPDATE `events` SET `waitlisted_count` = (SELECT count(*) FROM `event_rsvps` WHERE `event_rsvps`.`event_id` = `events`.`id` AND `event_rsvps`.`status` = 'waitlisted');
