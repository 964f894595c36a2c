CREATE TABLE `notification_mutes` (
	`membership_id` integer NOT NULL,
	`kind` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notification_mutes_key` ON `notification_mutes` (`membership_id`,`kind`);--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`membership_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject_id` integer NOT NULL,
	`actor_id` integer,
	`read_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_unread` ON `notifications` (`membership_id`,`kind`,`subject_id`) WHERE read_at is null;--> statement-breakpoint
CREATE INDEX `notifications_list` ON `notifications` (`membership_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `notifications_actor` ON `notifications` (`actor_id`) WHERE actor_id is not null;--> statement-breakpoint
CREATE INDEX `notifications_created` ON `notifications` (`created_at`);--> statement-breakpoint
ALTER TABLE `event_rsvps` ADD `tell_at` integer;--> statement-breakpoint
CREATE INDEX `event_rsvps_untold` ON `event_rsvps` (`tell_at`) WHERE tell_at is not null;--> statement-breakpoint
ALTER TABLE `events` ADD `tell_at` integer;--> statement-breakpoint
CREATE INDEX `events_untold` ON `events` (`tell_at`) WHERE tell_at is not null;--> statement-breakpoint
ALTER TABLE `post_comments` ADD `tell_at` integer;--> statement-breakpoint
CREATE INDEX `post_comments_untold` ON `post_comments` (`tell_at`) WHERE tell_at is not null;--> statement-breakpoint
ALTER TABLE `post_reactions` ADD `tell_at` integer;--> statement-breakpoint
CREATE INDEX `post_reactions_untold` ON `post_reactions` (`tell_at`) WHERE tell_at is not null;