CREATE TABLE `access_group_members` (
	`access_group_id` integer NOT NULL,
	`membership_id` integer NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_group_members_key` ON `access_group_members` (`access_group_id`,`membership_id`);--> statement-breakpoint
CREATE INDEX `access_group_members_member` ON `access_group_members` (`membership_id`);--> statement-breakpoint
CREATE INDEX `access_group_members_added` ON `access_group_members` (`access_group_id`,`created_at`,`membership_id`);--> statement-breakpoint
CREATE TABLE `access_group_spaces` (
	`access_group_id` integer NOT NULL,
	`space_id` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_group_spaces_key` ON `access_group_spaces` (`access_group_id`,`space_id`);--> statement-breakpoint
CREATE INDEX `access_group_spaces_space` ON `access_group_spaces` (`space_id`);--> statement-breakpoint
CREATE TABLE `access_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `access_groups_community` ON `access_groups` (`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `communities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text,
	`slug` text NOT NULL,
	`custom_domain` text,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `communities_slug` ON `communities` (`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `communities_domain` ON `communities` (`custom_domain`) WHERE custom_domain is not null;--> statement-breakpoint
CREATE INDEX `communities_org` ON `communities` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `community_removals` (
	`community_id` integer PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `community_removals_due` ON `community_removals` (`due_at`);--> statement-breakpoint
CREATE TABLE `member_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`membership_id` integer NOT NULL,
	`refresh_hash` text NOT NULL,
	`former_hash` text,
	`access_version` integer DEFAULT 1 NOT NULL,
	`token_version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `member_grants_refresh` ON `member_grants` (`refresh_hash`);--> statement-breakpoint
CREATE INDEX `member_grants_former` ON `member_grants` (`former_hash`) WHERE former_hash is not null;--> statement-breakpoint
CREATE INDEX `member_grants_membership` ON `member_grants` (`membership_id`);--> statement-breakpoint
CREATE INDEX `member_grants_expiry` ON `member_grants` (`expires_at`);--> statement-breakpoint
CREATE TABLE `memberships` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`sso_user_id` text,
	`avatar_url` text,
	`headline` text,
	`bio` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_community_user` ON `memberships` (`community_id`,`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_sso` ON `memberships` (`community_id`,`sso_user_id`) WHERE sso_user_id is not null;--> statement-breakpoint
CREATE INDEX `memberships_user` ON `memberships` (`user_id`,`status`,`community_id`);--> statement-breakpoint
CREATE INDEX `memberships_joined` ON `memberships` (`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `profile_fields` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`key` text NOT NULL,
	`label` text NOT NULL,
	`field_type` text NOT NULL,
	`required` integer NOT NULL,
	`options` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `profile_fields_key` ON `profile_fields` (`community_id`,`key`);--> statement-breakpoint
CREATE INDEX `profile_fields_order` ON `profile_fields` (`community_id`,`position`,`id`);--> statement-breakpoint
CREATE TABLE `space_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `space_groups_slug` ON `space_groups` (`community_id`,`slug`);--> statement-breakpoint
CREATE INDEX `space_groups_order` ON `space_groups` (`community_id`,`position`,`id`);--> statement-breakpoint
CREATE TABLE `spaces` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`space_group_id` integer,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`space_type` text NOT NULL,
	`visibility` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `spaces_slug` ON `spaces` (`community_id`,`slug`);--> statement-breakpoint
CREATE INDEX `spaces_order` ON `spaces` (`community_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `spaces_group` ON `spaces` (`space_group_id`) WHERE space_group_id is not null;--> statement-breakpoint
CREATE TABLE `bookmarks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`community_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bookmarks_key` ON `bookmarks` (`user_id`,`post_id`);--> statement-breakpoint
CREATE INDEX `bookmarks_list` ON `bookmarks` (`user_id`,`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `bookmarks_post` ON `bookmarks` (`post_id`);--> statement-breakpoint
CREATE TABLE `event_rsvps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`membership_id` integer NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_rsvps_key` ON `event_rsvps` (`event_id`,`membership_id`);--> statement-breakpoint
CREATE INDEX `event_rsvps_status` ON `event_rsvps` (`event_id`,`status`);--> statement-breakpoint
CREATE INDEX `event_rsvps_member` ON `event_rsvps` (`membership_id`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`space_id` integer,
	`host_id` integer,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`in_person_location` text,
	`virtual_url` text,
	`capacity` integer,
	`waitlist_enabled` integer DEFAULT false NOT NULL,
	`going_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_calendar` ON `events` (`community_id`,`starts_at`,`id`);--> statement-breakpoint
CREATE INDEX `events_space` ON `events` (`space_id`) WHERE space_id is not null;--> statement-breakpoint
CREATE INDEX `events_host` ON `events` (`host_id`) WHERE host_id is not null;--> statement-breakpoint
CREATE TABLE `images` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`uploader_id` integer,
	`object_key` text NOT NULL,
	`content_type` text NOT NULL,
	`width` integer,
	`height` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `images_post` ON `images` (`post_id`);--> statement-breakpoint
CREATE INDEX `images_uploader` ON `images` (`uploader_id`) WHERE uploader_id is not null;--> statement-breakpoint
CREATE INDEX `images_community` ON `images` (`community_id`);--> statement-breakpoint
CREATE TABLE `post_comments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`parent_id` integer,
	`author_id` integer,
	`body` text NOT NULL,
	`replies_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `post_comments_post` ON `post_comments` (`post_id`,`parent_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `post_comments_parent` ON `post_comments` (`parent_id`) WHERE parent_id is not null;--> statement-breakpoint
CREATE INDEX `post_comments_author` ON `post_comments` (`author_id`,`community_id`) WHERE author_id is not null;--> statement-breakpoint
CREATE INDEX `post_comments_community` ON `post_comments` (`community_id`);--> statement-breakpoint
CREATE TABLE `post_followers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `post_followers_key` ON `post_followers` (`user_id`,`post_id`);--> statement-breakpoint
CREATE INDEX `post_followers_post` ON `post_followers` (`post_id`,`id`);--> statement-breakpoint
CREATE TABLE `post_reactions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`membership_id` integer NOT NULL,
	`post_id` integer,
	`comment_id` integer,
	`image_id` integer,
	`emoji` text NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "post_reactions_one_target" CHECK((post_id is not null) + (comment_id is not null) + (image_id is not null) = 1)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `post_reactions_post` ON `post_reactions` (`membership_id`,`post_id`) WHERE post_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `post_reactions_comment` ON `post_reactions` (`membership_id`,`comment_id`) WHERE comment_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `post_reactions_image` ON `post_reactions` (`membership_id`,`image_id`) WHERE image_id is not null;--> statement-breakpoint
CREATE INDEX `post_reactions_member` ON `post_reactions` (`membership_id`);--> statement-breakpoint
CREATE INDEX `post_reactions_of_post` ON `post_reactions` (`post_id`,`emoji`) WHERE post_id is not null;--> statement-breakpoint
CREATE INDEX `post_reactions_of_comment` ON `post_reactions` (`comment_id`,`emoji`) WHERE comment_id is not null;--> statement-breakpoint
CREATE INDEX `post_reactions_of_image` ON `post_reactions` (`image_id`,`emoji`) WHERE image_id is not null;--> statement-breakpoint
CREATE TABLE `post_tags` (
	`post_id` integer NOT NULL,
	`tag_id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `post_tags_key` ON `post_tags` (`post_id`,`tag_id`);--> statement-breakpoint
CREATE INDEX `post_tags_tag` ON `post_tags` (`tag_id`);--> statement-breakpoint
CREATE TABLE `posts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`space_id` integer NOT NULL,
	`author_id` integer,
	`title` text,
	`body` text NOT NULL,
	`comments_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `posts_space` ON `posts` (`space_id`,`created_at`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_home` ON `posts` (`community_id`,`created_at`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_author` ON `posts` (`author_id`,`community_id`) WHERE author_id is not null;--> statement-breakpoint
CREATE INDEX `posts_deleted` ON `posts` (`community_id`,`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
CREATE TABLE `space_topics` (
	`space_id` integer NOT NULL,
	`tag_id` integer NOT NULL,
	`posts_count` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `space_topics_key` ON `space_topics` (`space_id`,`tag_id`);--> statement-breakpoint
CREATE INDEX `space_topics_order` ON `space_topics` (`space_id`,`posts_count`,`tag_id`);--> statement-breakpoint
CREATE TABLE `tags` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_slug` ON `tags` (`community_id`,`slug`);