CREATE TABLE `account_deletion_logs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`deletion_request_id` text NOT NULL,
	`action` text NOT NULL,
	`details` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `account_deletion_logs_request` ON `account_deletion_logs` (`deletion_request_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `account_deletion_logs_once` ON `account_deletion_logs` (`deletion_request_id`,`action`) WHERE action in ('requested', 'cancelled', 'executed');--> statement-breakpoint
CREATE INDEX `account_deletion_logs_addresses` ON `account_deletion_logs` (`created_at`) WHERE json_type(details, '$.ip_address') is not null;--> statement-breakpoint
CREATE TABLE `account_deletion_reminders` (
	`deletion_request_id` text NOT NULL,
	`kind` text NOT NULL,
	`claimed_at` integer NOT NULL,
	`sent_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_deletion_reminders_once` ON `account_deletion_reminders` (`deletion_request_id`,`kind`);--> statement-breakpoint
CREATE INDEX `account_deletion_reminders_unsent` ON `account_deletion_reminders` (`claimed_at`) WHERE sent_at is null;--> statement-breakpoint
CREATE TABLE `account_deletion_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer,
	`status` text NOT NULL,
	`delete_content` integer NOT NULL,
	`requested_at` integer NOT NULL,
	`scheduled_for` integer NOT NULL,
	`confirmed_at` integer,
	`cancelled_at` integer,
	`completed_at` integer,
	`executing_at` integer,
	`due_at` integer NOT NULL,
	`token_nonce` text,
	`cancellation_token_hash` text,
	CONSTRAINT "account_deletion_requests_whose" CHECK(status = 'completed' or user_id is not null)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_deletion_requests_open` ON `account_deletion_requests` (`user_id`) WHERE status in ('pending', 'confirmed');--> statement-breakpoint
CREATE UNIQUE INDEX `account_deletion_requests_token` ON `account_deletion_requests` (`cancellation_token_hash`);--> statement-breakpoint
CREATE INDEX `account_deletion_requests_user` ON `account_deletion_requests` (`user_id`,`requested_at`,`id`);--> statement-breakpoint
CREATE INDEX `account_deletion_requests_due` ON `account_deletion_requests` (`due_at`) WHERE status = 'confirmed';--> statement-breakpoint
CREATE INDEX `account_deletion_requests_scheduled` ON `account_deletion_requests` (`scheduled_for`) WHERE status = 'confirmed';--> statement-breakpoint
CREATE TABLE `erasure_ledger` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`delete_content` integer NOT NULL,
	`completed_at` integer NOT NULL,
	`purge_after` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `erasure_ledger_purge` ON `erasure_ledger` (`purge_after`);--> statement-breakpoint
CREATE TABLE `object_purges` (
	`id` text PRIMARY KEY NOT NULL,
	`bucket` text NOT NULL,
	`prefix` text NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `object_purges_due` ON `object_purges` (`due_at`);--> statement-breakpoint
CREATE TABLE `asset_search` (
	`asset_id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `asset_search_org` ON `asset_search` (`org_id`);--> statement-breakpoint
CREATE TABLE `asset_terms` (
	`org_id` text NOT NULL,
	`term` text NOT NULL,
	`asset_id` text NOT NULL,
	`field` text NOT NULL,
	PRIMARY KEY(`org_id`, `term`, `asset_id`, `field`)
);
--> statement-breakpoint
CREATE INDEX `asset_terms_asset` ON `asset_terms` (`asset_id`,`term`);--> statement-breakpoint
CREATE TABLE `assets` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`status` text NOT NULL,
	`playback_id` text NOT NULL,
	`collection_id` text,
	`duration_sec` real,
	`error_message` text,
	`visibility` text DEFAULT 'public' NOT NULL,
	`metadata` text NOT NULL,
	`public_settings` text NOT NULL,
	`source_key` text,
	`source_etag` text,
	`source_size_bytes` integer,
	`source_url` text,
	`custom_thumbnail_key` text,
	`frame_key` text,
	`manifest_key` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `assets_playback` ON `assets` (`playback_id`);--> statement-breakpoint
CREATE INDEX `assets_org` ON `assets` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `assets_status` ON `assets` (`org_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `assets_collection` ON `assets` (`org_id`,`collection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `collections` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`color` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `collections_org` ON `collections` (`org_id`,`created_at`,`id`);--> statement-breakpoint
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
CREATE INDEX `api_keys_creator` ON `api_keys` (`created_by_user_id`);--> statement-breakpoint
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
CREATE INDEX `org_invitations_inviter` ON `org_invitations` (`invited_by_user_id`);--> statement-breakpoint
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
CREATE INDEX `outbox_done` ON `outbox` (`done_at`) WHERE done_at is not null;--> statement-breakpoint
CREATE TABLE `storage_purges` (
	`bucket` text NOT NULL,
	`prefix` text NOT NULL,
	`due_at` integer NOT NULL,
	`last_due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `storage_purges_prefix` ON `storage_purges` (`bucket`,`prefix`);--> statement-breakpoint
CREATE INDEX `storage_purges_due` ON `storage_purges` (`due_at`);--> statement-breakpoint
CREATE TABLE `comments` (
	`id` text PRIMARY KEY NOT NULL,
	`asset_id` text NOT NULL,
	`author_name` text NOT NULL,
	`body` text NOT NULL,
	`timestamp_sec` real,
	`hidden_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `comments_asset` ON `comments` (`asset_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `reaction_counts` (
	`asset_id` text NOT NULL,
	`emoji` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`asset_id`, `emoji`)
);
--> statement-breakpoint
CREATE TABLE `reactions` (
	`asset_id` text NOT NULL,
	`session_id` text NOT NULL,
	`emoji` text NOT NULL,
	PRIMARY KEY(`asset_id`, `session_id`, `emoji`)
);
