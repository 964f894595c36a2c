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
CREATE TABLE `comments` (
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
CREATE INDEX `comments_post` ON `comments` (`post_id`,`parent_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `comments_parent` ON `comments` (`parent_id`) WHERE parent_id is not null;--> statement-breakpoint
CREATE INDEX `comments_author` ON `comments` (`author_id`,`community_id`) WHERE author_id is not null;--> statement-breakpoint
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
CREATE INDEX `events_calendar` ON `events` (`community_id`,`starts_at`,`id`) WHERE space_id is not null;--> statement-breakpoint
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
CREATE TABLE `post_followers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `post_followers_key` ON `post_followers` (`user_id`,`post_id`);--> statement-breakpoint
CREATE INDEX `post_followers_post` ON `post_followers` (`post_id`,`id`);--> statement-breakpoint
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
CREATE TABLE `reactions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`membership_id` integer NOT NULL,
	`post_id` integer,
	`comment_id` integer,
	`image_id` integer,
	`emoji` text NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "reactions_one_target" CHECK((post_id is not null) + (comment_id is not null) + (image_id is not null) = 1)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reactions_post` ON `reactions` (`membership_id`,`post_id`) WHERE post_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `reactions_comment` ON `reactions` (`membership_id`,`comment_id`) WHERE comment_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `reactions_image` ON `reactions` (`membership_id`,`image_id`) WHERE image_id is not null;--> statement-breakpoint
CREATE INDEX `reactions_of_post` ON `reactions` (`post_id`,`emoji`) WHERE post_id is not null;--> statement-breakpoint
CREATE INDEX `reactions_of_comment` ON `reactions` (`comment_id`,`emoji`) WHERE comment_id is not null;--> statement-breakpoint
CREATE INDEX `reactions_of_image` ON `reactions` (`image_id`,`emoji`) WHERE image_id is not null;--> statement-breakpoint
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
CREATE UNIQUE INDEX `tags_slug` ON `tags` (`community_id`,`slug`);--> statement-breakpoint
CREATE TABLE `machines` (
	`id` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`name` text NOT NULL,
	`capabilities` text NOT NULL,
	`token_version` integer NOT NULL,
	`registered_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`state` text NOT NULL,
	`running` integer DEFAULT 0 NOT NULL,
	`load` real
);
--> statement-breakpoint
CREATE UNIQUE INDEX `machines_fingerprint_unique` ON `machines` (`fingerprint`);--> statement-breakpoint
CREATE INDEX `machines_registered` ON `machines` (`registered_at`,`id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`key_hash` text NOT NULL,
	`prefix` text NOT NULL,
	`last_four` text NOT NULL,
	`scopes` text NOT NULL,
	`created_by_user_id` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`key_hash`);--> statement-breakpoint
CREATE INDEX `api_keys_org` ON `api_keys` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`subject` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`window_ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attempts_window` ON `attempts` (`window_ends_at`);--> statement-breakpoint
CREATE TABLE `org_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`invited_by_user_id` integer,
	`nonce` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `org_invitations_token` ON `org_invitations` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `org_invitations_open` ON `org_invitations` (`org_id`,`email`) WHERE accepted_at is null;--> statement-breakpoint
CREATE INDEX `org_invitations_org` ON `org_invitations` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `org_invitations_email` ON `org_invitations` (`email`);--> statement-breakpoint
CREATE TABLE `org_members` (
	`org_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `org_members_org_user` ON `org_members` (`org_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `org_members_user` ON `org_members` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `org_members_org_joined` ON `org_members` (`org_id`,`created_at`,`user_id`);--> statement-breakpoint
CREATE INDEX `org_members_owners` ON `org_members` (`org_id`) WHERE role = 'owner';--> statement-breakpoint
CREATE TABLE `orgs` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`tier` text NOT NULL,
	`webhook_url` text,
	`suspended_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orgs_slug` ON `orgs` (`slug`);--> statement-breakpoint
CREATE TABLE `otp_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`code_hash` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer
);
--> statement-breakpoint
CREATE INDEX `otp_codes_email` ON `otp_codes` (`email`,`created_at`);--> statement-breakpoint
CREATE INDEX `otp_codes_created` ON `otp_codes` (`created_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`user_agent` text NOT NULL,
	`ip` text NOT NULL,
	`by_code` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `usage_counters` (
	`org_id` text NOT NULL,
	`metric` text NOT NULL,
	`period` text NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `usage_counters_key` ON `usage_counters` (`org_id`,`period`,`metric`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`password_hash` text,
	`token_version` integer DEFAULT 1 NOT NULL,
	`is_superadmin` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`queue` text NOT NULL,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `dead_letters_created` ON `dead_letters` (`created_at`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`request_hash` text NOT NULL,
	`status` integer,
	`answer` text,
	`locked_until` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`claimed_until` integer NOT NULL,
	`sent_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mails_created` ON `mails` (`created_at`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`org_id` text,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`handovers` integer DEFAULT 0 NOT NULL,
	`done_at` integer
);
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`due_at`) WHERE done_at is null;--> statement-breakpoint
CREATE INDEX `outbox_done` ON `outbox` (`done_at`) WHERE done_at is not null;