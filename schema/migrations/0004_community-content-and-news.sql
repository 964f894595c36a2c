CREATE TABLE `calendar_feeds` (
	`membership_id` integer PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `calendar_feeds_token` ON `calendar_feeds` (`token_hash`);--> statement-breakpoint
CREATE TABLE `flags` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`membership_id` integer NOT NULL,
	`post_id` integer,
	`comment_id` integer,
	`reason` text NOT NULL,
	`dismissed_at` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "flags_one_target" CHECK((post_id is not null) + (comment_id is not null) = 1)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `flags_by_post` ON `flags` (`membership_id`,`post_id`) WHERE post_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `flags_by_comment` ON `flags` (`membership_id`,`comment_id`) WHERE comment_id is not null;--> statement-breakpoint
CREATE INDEX `flags_member` ON `flags` (`membership_id`);--> statement-breakpoint
CREATE INDEX `flags_post` ON `flags` (`post_id`) WHERE post_id is not null;--> statement-breakpoint
CREATE INDEX `flags_comment` ON `flags` (`comment_id`) WHERE comment_id is not null;--> statement-breakpoint
CREATE INDEX `flags_open` ON `flags` (`community_id`,`created_at`,`id`) WHERE dismissed_at is null;--> statement-breakpoint
CREATE INDEX `flags_all` ON `flags` (`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `member_terms` (
	`community_id` integer NOT NULL,
	`term` text NOT NULL,
	`membership_id` integer NOT NULL,
	PRIMARY KEY(`community_id`, `term`, `membership_id`)
);
--> statement-breakpoint
CREATE INDEX `member_terms_member` ON `member_terms` (`membership_id`,`term`);--> statement-breakpoint
CREATE TABLE `member_texts` (
	`membership_id` integer PRIMARY KEY NOT NULL,
	`community_id` integer NOT NULL,
	`folded` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `member_texts_community` ON `member_texts` (`community_id`,`membership_id`);--> statement-breakpoint
CREATE TABLE `post_terms` (
	`community_id` integer NOT NULL,
	`term` text NOT NULL,
	`post_id` integer NOT NULL,
	PRIMARY KEY(`community_id`, `term`, `post_id`)
);
--> statement-breakpoint
CREATE INDEX `post_terms_post` ON `post_terms` (`post_id`,`term`);--> statement-breakpoint
CREATE TABLE `post_texts` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`community_id` integer NOT NULL,
	`folded` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `post_texts_community` ON `post_texts` (`community_id`,`post_id`);--> statement-breakpoint
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
ALTER TABLE `memberships` ADD `profile` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `memberships` ADD `index_at` integer DEFAULT 0;--> statement-breakpoint
CREATE INDEX `memberships_unindexed` ON `memberships` (`index_at`) WHERE index_at is not null;--> statement-breakpoint
ALTER TABLE `event_rsvps` ADD `tell_at` integer;--> statement-breakpoint
CREATE INDEX `event_rsvps_untold` ON `event_rsvps` (`tell_at`) WHERE tell_at is not null;--> statement-breakpoint
ALTER TABLE `events` ADD `tell_at` integer;--> statement-breakpoint
CREATE INDEX `events_untold` ON `events` (`tell_at`) WHERE tell_at is not null;--> statement-breakpoint
ALTER TABLE `post_comments` ADD `tell_at` integer;--> statement-breakpoint
ALTER TABLE `post_comments` ADD `hidden_at` integer;--> statement-breakpoint
CREATE INDEX `post_comments_hidden` ON `post_comments` (`community_id`,`hidden_at`) WHERE hidden_at is not null;--> statement-breakpoint
CREATE INDEX `post_comments_untold` ON `post_comments` (`tell_at`) WHERE tell_at is not null;--> statement-breakpoint
ALTER TABLE `post_reactions` ADD `tell_at` integer;--> statement-breakpoint
CREATE INDEX `post_reactions_untold` ON `post_reactions` (`tell_at`) WHERE tell_at is not null;--> statement-breakpoint
ALTER TABLE `posts` ADD `hidden_at` integer;--> statement-breakpoint
ALTER TABLE `posts` ADD `index_at` integer DEFAULT 0;--> statement-breakpoint
CREATE INDEX `posts_hidden` ON `posts` (`community_id`,`hidden_at`) WHERE hidden_at is not null;--> statement-breakpoint
CREATE INDEX `posts_unindexed` ON `posts` (`index_at`) WHERE index_at is not null;