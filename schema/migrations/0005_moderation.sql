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
ALTER TABLE `post_comments` ADD `hidden_at` integer;--> statement-breakpoint
CREATE INDEX `post_comments_hidden` ON `post_comments` (`community_id`,`hidden_at`) WHERE hidden_at is not null;--> statement-breakpoint
ALTER TABLE `posts` ADD `hidden_at` integer;--> statement-breakpoint
CREATE INDEX `posts_hidden` ON `posts` (`community_id`,`hidden_at`) WHERE hidden_at is not null;