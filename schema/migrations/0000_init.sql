CREATE TABLE `allowed_origins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text NOT NULL,
	`community_id` integer,
	`origin` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `allowed_origins_org` ON `allowed_origins` (`org_id`,`origin`) WHERE community_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `allowed_origins_community` ON `allowed_origins` (`community_id`,`origin`) WHERE community_id is not null;--> statement-breakpoint
CREATE INDEX `allowed_origins_owner` ON `allowed_origins` (`org_id`,`id`);--> statement-breakpoint
CREATE INDEX `allowed_origins_origin` ON `allowed_origins` (`origin`);--> statement-breakpoint
CREATE TABLE `audit_seals` (
	`position` integer PRIMARY KEY NOT NULL,
	`actor_digest` text,
	`on_behalf_of_digest` text,
	`target_digest` text,
	`hash` text NOT NULL,
	`sealed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `billing_accounts` (
	`org_id` text PRIMARY KEY NOT NULL,
	`customer_id` text,
	`customer_generation` integer DEFAULT 0 NOT NULL,
	`syncs_begun` integer DEFAULT 0 NOT NULL,
	`stored_sync` integer DEFAULT 0 NOT NULL,
	`checkouts_begun` integer DEFAULT 0 NOT NULL,
	`checkout_session_id` text,
	`subscription_id` text,
	`status` text,
	`tier` text,
	`interval` text,
	`current_period_end` integer,
	`cancel_at` integer,
	`grace_until` integer,
	`subscribed_at` integer,
	`synced_at` integer,
	`reconcile_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `billing_accounts_customer` ON `billing_accounts` (`customer_id`) WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX `billing_accounts_reconcile` ON `billing_accounts` (`reconcile_at`);--> statement-breakpoint
CREATE TABLE `billing_closures` (
	`customer_id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `billing_closures_due` ON `billing_closures` (`due_at`);--> statement-breakpoint
CREATE TABLE `billing_events` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `billing_events_received` ON `billing_events` (`received_at`);--> statement-breakpoint
CREATE TABLE `billing_trials` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`offered_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE TABLE `billing_usage` (
	`org_id` text NOT NULL,
	`metric` text NOT NULL,
	`day` text NOT NULL,
	`start_ms` integer NOT NULL,
	`end_ms` integer NOT NULL,
	`reported_minutes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `billing_usage_key` ON `billing_usage` (`org_id`,`metric`,`day`);--> statement-breakpoint
CREATE INDEX `billing_usage_day` ON `billing_usage` (`day`);--> statement-breakpoint
CREATE TABLE `device_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`device_code_hash` text NOT NULL,
	`user_code_hash` text NOT NULL,
	`client_id` text NOT NULL,
	`device_name` text NOT NULL,
	`scopes` text NOT NULL,
	`ip` text NOT NULL,
	`country` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`interval_seconds` integer NOT NULL,
	`last_polled_at` integer,
	`state` text DEFAULT 'pending' NOT NULL,
	`approved_by_user_id` integer,
	`approver_token_version` integer,
	`org_id` text,
	`granted_scopes` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_requests_device_code` ON `device_requests` (`device_code_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `device_requests_user_code` ON `device_requests` (`user_code_hash`);--> statement-breakpoint
CREATE INDEX `device_requests_approver` ON `device_requests` (`approved_by_user_id`);--> statement-breakpoint
CREATE INDEX `device_requests_org` ON `device_requests` (`org_id`);--> statement-breakpoint
CREATE INDEX `device_requests_created` ON `device_requests` (`created_at`);--> statement-breakpoint
CREATE TABLE `address_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`purpose` text NOT NULL,
	`email` text NOT NULL,
	`code_hash` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer
);
--> statement-breakpoint
CREATE INDEX `address_codes_user` ON `address_codes` (`user_id`,`purpose`,`created_at`);--> statement-breakpoint
CREATE INDEX `address_codes_email` ON `address_codes` (`email`,`created_at`);--> statement-breakpoint
CREATE INDEX `address_codes_created` ON `address_codes` (`created_at`);--> statement-breakpoint
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
	`window_ends_at` integer NOT NULL,
	`next_at` integer DEFAULT 0 NOT NULL
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
	`suspension_reasons` text DEFAULT '[]' NOT NULL,
	`suspension_changed_at` integer,
	`support_access` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`video_codecs` text DEFAULT '["h264"]' NOT NULL,
	`created_by_user_id` integer,
	`primary_color` text DEFAULT '#4f46e5' NOT NULL,
	`theme` text DEFAULT 'dark' NOT NULL,
	`logo_key` text,
	`player_defaults` text DEFAULT '{"autoplay":false,"muted":false,"captions":false,"controls":true}' NOT NULL,
	`allowed_embed_domains` text DEFAULT '[]' NOT NULL,
	`analytics` text DEFAULT '{"collect":"full","onDoNotTrack":"anonymous","showLiveCount":true}' NOT NULL,
	`tier_override` text,
	`tier_override_until` integer,
	`tier_override_reason` text,
	`paid_tier` text,
	`paid_tier_until` integer,
	`requires_second_factor` integer DEFAULT false NOT NULL,
	`keys_need_proof` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orgs_slug` ON `orgs` (`slug`);--> statement-breakpoint
CREATE INDEX `orgs_creator` ON `orgs` (`created_by_user_id`,`tier`);--> statement-breakpoint
CREATE INDEX `orgs_name` ON `orgs` (lower(name));--> statement-breakpoint
CREATE INDEX `orgs_created` ON `orgs` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orgs_tier` ON `orgs` (`tier`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orgs_tier_override` ON `orgs` (`tier_override`,`created_at`,`id`) WHERE tier_override is not null;--> statement-breakpoint
CREATE INDEX `orgs_paid_tier` ON `orgs` (`paid_tier`,`created_at`,`id`) WHERE paid_tier is not null;--> statement-breakpoint
CREATE INDEX `orgs_suspended_logo` ON `orgs` (`logo_key`) WHERE suspended_at is not null and logo_key is not null;--> statement-breakpoint
CREATE INDEX `orgs_suspension_reasons` ON `orgs` (`created_at`,`id`) WHERE suspension_reasons <> '[]';--> statement-breakpoint
CREATE INDEX `orgs_suspended` ON `orgs` (`created_at`,`id`) WHERE suspended_at is not null;--> statement-breakpoint
CREATE TABLE `otp_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`code_hash` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	`asker` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `otp_codes_email` ON `otp_codes` (`email`,`created_at`);--> statement-breakpoint
CREATE INDEX `otp_codes_created` ON `otp_codes` (`created_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`user_agent` text NOT NULL,
	`ip` text NOT NULL,
	`country` text,
	`by_code` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`proved_at` integer DEFAULT 0 NOT NULL,
	`renewal_id` text DEFAULT '' NOT NULL,
	`former_renewal_id` text,
	`renewed_at` integer,
	`second_factor_at` integer
);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sign_in_origins` (
	`user_id` integer NOT NULL,
	`origin_hash` text NOT NULL,
	`first_session_id` text NOT NULL,
	`last_seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_origins_key` ON `sign_in_origins` (`user_id`,`origin_hash`);--> statement-breakpoint
CREATE INDEX `sign_in_origins_seen` ON `sign_in_origins` (`last_seen_at`);--> statement-breakpoint
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
	`email` text,
	`name` text NOT NULL,
	`email_verified_at` integer,
	`password_hash` text,
	`token_version` integer DEFAULT 1 NOT NULL,
	`is_superadmin` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`signup_name` text,
	`locked_at` integer,
	`second_factor_at` integer,
	`managed_key` text,
	`erase_at` integer,
	`erase_content` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_managed` ON `users` (`managed_key`) WHERE managed_key is not null;--> statement-breakpoint
CREATE INDEX `users_to_erase` ON `users` (`erase_at`) WHERE erase_at is not null;--> statement-breakpoint
CREATE INDEX `users_name` ON `users` (lower(name));--> statement-breakpoint
CREATE INDEX `users_superadmins` ON `users` (`id`) WHERE is_superadmin = 1;--> statement-breakpoint
CREATE INDEX `users_locked` ON `users` (`id`) WHERE locked_at is not null;--> statement-breakpoint
CREATE TABLE `impersonations` (
	`id` text PRIMARY KEY NOT NULL,
	`impersonator_id` integer,
	`impersonator_token_version` integer NOT NULL,
	`session_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`org_id` text NOT NULL,
	`reason` text NOT NULL,
	`ticket` text,
	`may_write` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_seen_at` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `impersonations_org` ON `impersonations` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `impersonations_user` ON `impersonations` (`user_id`);--> statement-breakpoint
CREATE INDEX `impersonations_impersonator` ON `impersonations` (`impersonator_id`);--> statement-breakpoint
CREATE INDEX `impersonations_expiry` ON `impersonations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `mail_refusals` (
	`address_hash` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mail_reports` (
	`org_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_reports_org` ON `mail_reports` (`org_id`,`address_hash`);--> statement-breakpoint
CREATE INDEX `mail_reports_created` ON `mail_reports` (`created_at`);--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`claimed_until` integer NOT NULL,
	`sent_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mails_created` ON `mails` (`created_at`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`algorithm` integer NOT NULL,
	`counter` integer NOT NULL,
	`backed_up` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `recovery_codes_key` ON `recovery_codes` (`user_id`,`code_hash`);--> statement-breakpoint
CREATE TABLE `totp_secrets` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`secret` text NOT NULL,
	`last_step` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`confirmed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `totp_secrets_confirmed` ON `totp_secrets` (`user_id`) WHERE confirmed_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `totp_secrets_waiting` ON `totp_secrets` (`user_id`) WHERE confirmed_at is null;--> statement-breakpoint
CREATE INDEX `totp_secrets_user` ON `totp_secrets` (`user_id`);--> statement-breakpoint
CREATE INDEX `totp_secrets_stale` ON `totp_secrets` (`created_at`) WHERE confirmed_at is null;--> statement-breakpoint
CREATE TABLE `used_challenges` (
	`challenge_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_challenges_expiry` ON `used_challenges` (`expires_at`);--> statement-breakpoint
CREATE TABLE `webhook_attempts` (
	`endpoint_id` text NOT NULL,
	`event_id` text NOT NULL,
	`number` integer NOT NULL,
	`org_id` text NOT NULL,
	`url` text NOT NULL,
	`payload` text NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`status` integer,
	`problem` text,
	`response_text` text,
	PRIMARY KEY(`endpoint_id`, `event_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `webhook_attempts_started` ON `webhook_attempts` (`started_at`);--> statement-breakpoint
CREATE INDEX `webhook_attempts_org` ON `webhook_attempts` (`org_id`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`endpoint_id` text NOT NULL,
	`event_id` text NOT NULL,
	`org_id` text NOT NULL,
	`sequence` integer NOT NULL,
	`type` text NOT NULL,
	`resource` text NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`lease_until` integer,
	`epoch` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`attempts_before` integer DEFAULT 0 NOT NULL,
	`last_status` integer,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`endpoint_id`, `event_id`)
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`endpoint_id`,`due_at`,`sequence`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_resource` ON `webhook_deliveries` (`endpoint_id`,`resource`,`sequence`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_leased` ON `webhook_deliveries` (`endpoint_id`,`lease_until`) WHERE lease_until is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_log` ON `webhook_deliveries` (`org_id`,`sequence`,`endpoint_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_failed` ON `webhook_deliveries` (`endpoint_id`) WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_event` ON `webhook_deliveries` (`event_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`url` text NOT NULL,
	`types` text,
	`payload` text NOT NULL,
	`ordering` text NOT NULL,
	`max_in_flight` integer NOT NULL,
	`status` text NOT NULL,
	`status_reason` text,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_ends_at` integer,
	`planned_sequence` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`last_success_at` integer,
	`last_failure_at` integer,
	`last_test_at` integer DEFAULT 0 NOT NULL,
	`notices_sent` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_endpoints_default` ON `webhook_endpoints` (`org_id`) WHERE is_default = 1;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_org` ON `webhook_endpoints` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_endpoints_failing` ON `webhook_endpoints` (`failing_since`,`id`) WHERE failing_since is not null;--> statement-breakpoint
CREATE TABLE `highlights` (
	`id` text PRIMARY KEY NOT NULL,
	`asset_id` text NOT NULL,
	`org_id` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`start_ms` integer NOT NULL,
	`end_ms` integer NOT NULL,
	`score` real NOT NULL,
	`reasons` text NOT NULL,
	`rewatch` real,
	`ranked_at` integer,
	`status` text NOT NULL,
	`task_id` text NOT NULL,
	`clip_folder` text,
	`clip_bytes` integer DEFAULT 0 NOT NULL,
	`has_poster` integer DEFAULT false NOT NULL,
	`edited_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `highlights_asset` ON `highlights` (`asset_id`,`start_ms`);--> statement-breakpoint
CREATE UNIQUE INDEX `highlights_task` ON `highlights` (`task_id`);--> statement-breakpoint
CREATE TABLE `ai_breakers` (
	`org_id` text NOT NULL,
	`provider` text NOT NULL,
	`failures` integer NOT NULL,
	`open_until` integer NOT NULL,
	`open_ms` integer NOT NULL,
	`code` text,
	`reason` text,
	PRIMARY KEY(`org_id`, `provider`)
);
--> statement-breakpoint
CREATE TABLE `ai_budgets` (
	`org_id` text PRIMARY KEY NOT NULL,
	`max_audio_ms` integer,
	`max_cost_micros` integer,
	`max_tokens` integer,
	`month` text NOT NULL,
	`audio_ms` integer DEFAULT 0 NOT NULL,
	`cost_micros` integer DEFAULT 0 NOT NULL,
	`tokens` integer DEFAULT 0 NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `ai_calls` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`provider` text NOT NULL,
	`model` text,
	`payer` text DEFAULT 'org' NOT NULL,
	`purpose` text DEFAULT 'transcription' NOT NULL,
	`audio_ms` integer NOT NULL,
	`tokens` integer DEFAULT 0 NOT NULL,
	`cost_micros` integer NOT NULL,
	`month` text NOT NULL,
	`status` text NOT NULL,
	`error_code` text,
	`ms` integer,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`subject` text,
	`epoch` integer DEFAULT 0 NOT NULL,
	`remote_id` text,
	`language` text,
	`check_at` integer,
	`checks` integer DEFAULT 0 NOT NULL,
	`taken_until` integer
);
--> statement-breakpoint
CREATE INDEX `ai_calls_open` ON `ai_calls` (`check_at`) WHERE status in ('running', 'waiting');--> statement-breakpoint
CREATE INDEX `ai_calls_created` ON `ai_calls` (`created_at`);--> statement-breakpoint
CREATE INDEX `ai_calls_org` ON `ai_calls` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `ai_calls_subject` ON `ai_calls` (`subject`) WHERE status in ('running', 'waiting');--> statement-breakpoint
CREATE TABLE `ai_deliveries` (
	`call_id` text NOT NULL,
	`delivery_id` text NOT NULL,
	`org_id` text NOT NULL,
	`trust` text DEFAULT 'hint' NOT NULL,
	`body_key` text NOT NULL,
	`received_at` integer NOT NULL,
	`due_at` integer,
	PRIMARY KEY(`call_id`, `delivery_id`)
);
--> statement-breakpoint
CREATE INDEX `ai_deliveries_due` ON `ai_deliveries` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `ai_deliveries_received` ON `ai_deliveries` (`received_at`);--> statement-breakpoint
CREATE INDEX `ai_deliveries_org` ON `ai_deliveries` (`org_id`);--> statement-breakpoint
CREATE TABLE `ai_engines` (
	`org_id` text NOT NULL,
	`purpose` text NOT NULL,
	`provider` text NOT NULL,
	`base_url` text,
	`model` text,
	`language` text,
	`price_per_minute_micros` integer,
	`input_price_micros` integer,
	`output_price_micros` integer,
	`sealed_key` text,
	`key_last_four` text,
	`key_updated_at` integer,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `purpose`)
);
--> statement-breakpoint
CREATE TABLE `ai_steps` (
	`asset_id` text NOT NULL,
	`step` text NOT NULL,
	`org_id` text NOT NULL,
	`job_id` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`version` integer NOT NULL,
	`language` text,
	`is_forced` integer NOT NULL,
	`is_announced` integer NOT NULL,
	`started_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`asset_id`, `step`)
);
--> statement-breakpoint
CREATE INDEX `ai_steps_open` ON `ai_steps` (`updated_at`) WHERE status in ('pending', 'processing');--> statement-breakpoint
CREATE TABLE `asset_subtitles` (
	`asset_id` text NOT NULL,
	`language` text NOT NULL,
	`key` text NOT NULL,
	`source` text DEFAULT 'upload' NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`asset_id`, `language`)
);
--> statement-breakpoint
CREATE TABLE `subtitle_translations` (
	`asset_id` text NOT NULL,
	`language` text NOT NULL,
	`org_id` text NOT NULL,
	`source_language` text NOT NULL,
	`source_key` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`replaceable_key` text,
	`version` integer NOT NULL,
	`cues` integer,
	`done_cues` integer DEFAULT 0 NOT NULL,
	`retries` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`asset_id`, `language`)
);
--> statement-breakpoint
CREATE INDEX `subtitle_translations_due` ON `subtitle_translations` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `subtitle_translations_org` ON `subtitle_translations` (`org_id`);--> statement-breakpoint
CREATE TABLE `translated_batches` (
	`asset_id` text NOT NULL,
	`language` text NOT NULL,
	`first_cue` integer NOT NULL,
	`texts` text NOT NULL,
	PRIMARY KEY(`asset_id`, `language`, `first_cue`)
);
--> statement-breakpoint
CREATE TABLE `audit_log` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`org_id` text,
	`action` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`target_kind` text,
	`target_id` text,
	`request_id` text,
	`details` text NOT NULL,
	`created_at` integer NOT NULL,
	`actor_user_id` integer,
	`actor_email` text,
	`ip_address` text,
	`actor_salt` text,
	`on_behalf_of_user_id` integer,
	`on_behalf_of_email` text,
	`on_behalf_of_salt` text,
	`target_user_id` integer,
	`target_email` text,
	`target_salt` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_id` ON `audit_log` (`id`);--> statement-breakpoint
CREATE INDEX `audit_log_org` ON `audit_log` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_org_action` ON `audit_log` (`org_id`,`action`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_time` ON `audit_log` (`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_action` ON `audit_log` (`action`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_actor` ON `audit_log` (`actor_user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_actor_id` ON `audit_log` (`actor_id`,`created_at`) WHERE actor_id is not null;--> statement-breakpoint
CREATE INDEX `audit_log_on_behalf_of` ON `audit_log` (`on_behalf_of_user_id`);--> statement-breakpoint
CREATE INDEX `audit_log_target` ON `audit_log` (`target_user_id`);--> statement-breakpoint
CREATE INDEX `audit_log_target_email` ON `audit_log` (`target_email`);--> statement-breakpoint
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
CREATE TABLE `calendar_feeds` (
	`membership_id` integer PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `calendar_feeds_token` ON `calendar_feeds` (`token_hash`);--> statement-breakpoint
CREATE TABLE `communities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text,
	`slug` text NOT NULL,
	`custom_domain` text,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`reactions` text DEFAULT '[]' NOT NULL,
	`domain_proof` text,
	`domain_claimed_at` integer,
	`domain_verified_at` integer,
	`domain_checked_at` integer,
	`domain_missing_since` integer,
	`domain_problem` text,
	`domain_asked_at` integer,
	`domain_check_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `communities_slug` ON `communities` (`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `communities_verified_domain` ON `communities` (`custom_domain`) WHERE domain_verified_at is not null;--> statement-breakpoint
CREATE INDEX `communities_domain_due` ON `communities` (`domain_check_at`) WHERE domain_check_at is not null;--> statement-breakpoint
CREATE INDEX `communities_org` ON `communities` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `community_invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`invited_by_user_id` integer,
	`nonce` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`invited_by_membership_id` integer,
	`sso_user_id` text,
	`avatar_url` text,
	`headline` text,
	`bio` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `community_invitations_token` ON `community_invitations` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `community_invitations_open` ON `community_invitations` (`community_id`,`email`) WHERE accepted_at is null;--> statement-breakpoint
CREATE INDEX `community_invitations_list` ON `community_invitations` (`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `community_invitations_email` ON `community_invitations` (`email`);--> statement-breakpoint
CREATE INDEX `community_invitations_inviter` ON `community_invitations` (`invited_by_user_id`) WHERE invited_by_user_id is not null;--> statement-breakpoint
CREATE TABLE `community_removals` (
	`community_id` integer PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `community_removals_due` ON `community_removals` (`due_at`);--> statement-breakpoint
CREATE TABLE `invitation_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`access_group_ids` text NOT NULL,
	`max_uses` integer,
	`uses` integer DEFAULT 0 NOT NULL,
	`token_hash` text NOT NULL,
	`made_by_user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_links_token` ON `invitation_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `invitation_links_list` ON `invitation_links` (`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `invitation_links_maker` ON `invitation_links` (`made_by_user_id`);--> statement-breakpoint
CREATE TABLE `member_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`membership_id` integer NOT NULL,
	`refresh_hash` text NOT NULL,
	`family_hash` text,
	`access_version` integer DEFAULT 1 NOT NULL,
	`token_version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `member_grants_refresh` ON `member_grants` (`refresh_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `member_grants_family` ON `member_grants` (`family_hash`);--> statement-breakpoint
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
	`updated_at` integer NOT NULL,
	`profile` text DEFAULT '{}' NOT NULL,
	`index_at` integer DEFAULT 0,
	`name` text,
	`avatar_key` text,
	`email` text
);
--> statement-breakpoint
CREATE INDEX `memberships_email` ON `memberships` (`email`,`community_id`) WHERE email is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_community_user` ON `memberships` (`community_id`,`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_sso` ON `memberships` (`community_id`,`sso_user_id`) WHERE sso_user_id is not null;--> statement-breakpoint
CREATE INDEX `memberships_user` ON `memberships` (`user_id`,`status`,`community_id`);--> statement-breakpoint
CREATE INDEX `memberships_unindexed` ON `memberships` (`index_at`) WHERE index_at is not null;--> statement-breakpoint
CREATE INDEX `memberships_joined` ON `memberships` (`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `memberships_role` ON `memberships` (`community_id`,`role`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `memberships_status` ON `memberships` (`community_id`,`status`,`created_at`,`id`);--> statement-breakpoint
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
CREATE TABLE `counter_repairs` (
	`counter` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `event_rsvps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`membership_id` integer NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`notify_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_rsvps_key` ON `event_rsvps` (`event_id`,`membership_id`);--> statement-breakpoint
CREATE INDEX `event_rsvps_status` ON `event_rsvps` (`event_id`,`status`);--> statement-breakpoint
CREATE INDEX `event_rsvps_member` ON `event_rsvps` (`membership_id`);--> statement-breakpoint
CREATE INDEX `event_rsvps_unnotified` ON `event_rsvps` (`notify_at`) WHERE notify_at is not null;--> statement-breakpoint
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
	`updated_at` integer NOT NULL,
	`notify_at` integer
);
--> statement-breakpoint
CREATE INDEX `events_calendar` ON `events` (`community_id`,`starts_at`,`id`);--> statement-breakpoint
CREATE INDEX `events_space` ON `events` (`space_id`,`starts_at`,`id`) WHERE space_id is not null;--> statement-breakpoint
CREATE INDEX `events_host` ON `events` (`host_id`) WHERE host_id is not null;--> statement-breakpoint
CREATE INDEX `events_unnotified` ON `events` (`notify_at`) WHERE notify_at is not null;--> statement-breakpoint
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
CREATE TABLE `point_transactions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`points` integer NOT NULL,
	`reason` text NOT NULL,
	`awarded_by_user_id` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `point_transactions_list` ON `point_transactions` (`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `point_transactions_balance` ON `point_transactions` (`user_id`,`community_id`,`points`);--> statement-breakpoint
CREATE INDEX `point_transactions_awarder` ON `point_transactions` (`awarded_by_user_id`) WHERE awarded_by_user_id is not null;--> statement-breakpoint
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
	`deleted_at` integer,
	`notify_at` integer,
	`hidden_at` integer,
	`hidden_reason` text
);
--> statement-breakpoint
CREATE INDEX `post_comments_post` ON `post_comments` (`post_id`,`parent_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `post_comments_parent` ON `post_comments` (`parent_id`) WHERE parent_id is not null;--> statement-breakpoint
CREATE INDEX `post_comments_author` ON `post_comments` (`author_id`,`community_id`) WHERE author_id is not null;--> statement-breakpoint
CREATE INDEX `post_comments_community` ON `post_comments` (`community_id`);--> statement-breakpoint
CREATE INDEX `post_comments_hidden` ON `post_comments` (`community_id`,`hidden_at`) WHERE hidden_at is not null;--> statement-breakpoint
CREATE INDEX `post_comments_unnotified` ON `post_comments` (`notify_at`) WHERE notify_at is not null;--> statement-breakpoint
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
	`notify_at` integer,
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
CREATE INDEX `post_reactions_unnotified` ON `post_reactions` (`notify_at`) WHERE notify_at is not null;--> statement-breakpoint
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
	`deleted_at` integer,
	`hidden_at` integer,
	`hidden_reason` text,
	`index_at` integer DEFAULT 0,
	`topics` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `posts_space` ON `posts` (`space_id`,`created_at`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_home` ON `posts` (`community_id`,`created_at`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_author` ON `posts` (`author_id`,`community_id`) WHERE author_id is not null;--> statement-breakpoint
CREATE INDEX `posts_hidden` ON `posts` (`community_id`,`hidden_at`) WHERE hidden_at is not null;--> statement-breakpoint
CREATE INDEX `posts_unindexed` ON `posts` (`index_at`) WHERE index_at is not null;--> statement-breakpoint
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
CREATE UNIQUE INDEX `tags_slug` ON `tags` (`community_id`,`slug`);--> statement-breakpoint
CREATE TABLE `cancelled_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`community_id` integer NOT NULL,
	`space_id` integer NOT NULL,
	`title` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `cancelled_events_community` ON `cancelled_events` (`community_id`);--> statement-breakpoint
CREATE INDEX `cancelled_events_created` ON `cancelled_events` (`created_at`);--> statement-breakpoint
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
CREATE INDEX `notifications_unread_list` ON `notifications` (`membership_id`,`created_at`,`id`) WHERE read_at is null;--> statement-breakpoint
CREATE INDEX `notifications_actor` ON `notifications` (`actor_id`) WHERE actor_id is not null;--> statement-breakpoint
CREATE INDEX `notifications_created` ON `notifications` (`created_at`);--> statement-breakpoint
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
CREATE TABLE `backup_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source` text NOT NULL,
	`row_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `backup_chunks` (
	`backup_id` text NOT NULL,
	`position` integer NOT NULL,
	`key` text NOT NULL,
	`sha256` text NOT NULL,
	`text_sha256` text NOT NULL,
	`size_bytes` integer NOT NULL,
	PRIMARY KEY(`backup_id`, `position`)
);
--> statement-breakpoint
CREATE TABLE `backups` (
	`id` text PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`state` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`snapshot_at` integer,
	`sealed_key` text NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`restarts` integer DEFAULT 0 NOT NULL,
	`plan` text,
	`table_index` integer DEFAULT 0 NOT NULL,
	`after_rowid` integer DEFAULT 0 NOT NULL,
	`changes_seq` integer DEFAULT 0 NOT NULL,
	`schema_hash` text,
	`tables` integer,
	`rows` integer,
	`size_bytes` integer,
	`error` text,
	`drilled_at` integer,
	`drill_error` text,
	`verified_at` integer,
	`restore_seconds` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `backups_running` ON `backups` (`state`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `backups_started` ON `backups` (`started_at`,`id`);--> statement-breakpoint
CREATE TABLE `checkpoints` (
	`number` integer PRIMARY KEY NOT NULL,
	`nonce` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `data_keys` (
	`name` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`queue` text NOT NULL,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`retry_at` integer,
	`retried_at` integer
);
--> statement-breakpoint
CREATE INDEX `dead_letters_created` ON `dead_letters` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `dead_letters_unsent` ON `dead_letters` (`created_at`) WHERE retried_at is null;--> statement-breakpoint
CREATE INDEX `dead_letters_retries` ON `dead_letters` (`retry_at`) WHERE retry_at is not null and retried_at is null;--> statement-breakpoint
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
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`org_id` text,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`handovers` integer DEFAULT 0 NOT NULL,
	`done_at` integer,
	`urgency` integer DEFAULT 2 NOT NULL,
	`tenant` text DEFAULT '' NOT NULL,
	`sequence` integer,
	`resource` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbox_public` ON `outbox` (`org_id`,`sequence`) WHERE sequence is not null;--> statement-breakpoint
CREATE INDEX `outbox_waiting` ON `outbox` (`urgency`,`tenant`,`due_at`) WHERE done_at is null;--> statement-breakpoint
CREATE INDEX `outbox_done` ON `outbox` (`done_at`) WHERE done_at is not null;--> statement-breakpoint
CREATE TABLE `rewind_repairs` (
	`id` text PRIMARY KEY NOT NULL,
	`checkpoint` integer NOT NULL,
	`step` text,
	`cursor` text,
	`counts` text NOT NULL,
	`started_at` integer NOT NULL,
	`opened_at` integer,
	`ended_at` integer,
	`lease_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rewind_repairs_unfinished` ON `rewind_repairs` (`started_at`) WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX `rewind_repairs_started` ON `rewind_repairs` (`started_at`);--> statement-breakpoint
CREATE TABLE `storage_purges` (
	`bucket` text NOT NULL,
	`prefix` text NOT NULL,
	`due_at` integer NOT NULL,
	`last_due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `storage_purges_prefix` ON `storage_purges` (`bucket`,`prefix`);--> statement-breakpoint
CREATE INDEX `storage_purges_due` ON `storage_purges` (`due_at`);--> statement-breakpoint
CREATE TABLE `asset_error_groups` (
	`fingerprint` text PRIMARY KEY NOT NULL,
	`message` text NOT NULL,
	`occurrences` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `asset_error_groups_seen` ON `asset_error_groups` (`last_seen_at`,`fingerprint`);--> statement-breakpoint
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
	`playback_token_version` integer DEFAULT 0 NOT NULL,
	`metadata` text NOT NULL,
	`public_settings` text NOT NULL,
	`source_key` text,
	`source_etag` text,
	`source_size_bytes` integer,
	`source_url` text,
	`source_received_at` integer,
	`custom_thumbnail_key` text,
	`frame_key` text,
	`placeholder` text,
	`width` integer,
	`height` integer,
	`preview_key` text,
	`storyboard_key` text,
	`manifest_key` text,
	`audio_track` text,
	`transcript_key` text,
	`subtitles_key` text,
	`transcript_language` text,
	`chapters_key` text,
	`chapters_edited_at` integer,
	`chapters_transcript_key` text,
	`transcript_by` text,
	`audio_key` text,
	`ai_audio_key` text,
	`download_key` text,
	`media_bytes` integer DEFAULT 0 NOT NULL,
	`audio_config` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`error_fingerprint` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `assets_playback` ON `assets` (`playback_id`);--> statement-breakpoint
CREATE INDEX `assets_org` ON `assets` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `assets_status` ON `assets` (`org_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `assets_collection` ON `assets` (`org_id`,`collection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `assets_storage` ON `assets` (`org_id`,`source_size_bytes`,`media_bytes`);--> statement-breakpoint
CREATE INDEX `assets_public` ON `assets` (`created_at`,`id`) WHERE visibility = 'public' and status = 'ready';--> statement-breakpoint
CREATE INDEX `assets_error` ON `assets` (`error_fingerprint`,`created_at`,`id`) WHERE error_fingerprint is not null;--> statement-breakpoint
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
CREATE TABLE `spoken_terms` (
	`org_id` text NOT NULL,
	`term` text NOT NULL,
	`asset_id` text NOT NULL,
	PRIMARY KEY(`org_id`, `term`, `asset_id`)
);
--> statement-breakpoint
CREATE INDEX `spoken_terms_asset` ON `spoken_terms` (`asset_id`,`term`);--> statement-breakpoint
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
	`load` real,
	`start_hook` text,
	`paused_at` integer,
	`evicted_at` integer,
	`registered_with` text,
	`hourly_price_micros` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `machines_fingerprint_unique` ON `machines` (`fingerprint`);--> statement-breakpoint
CREATE INDEX `machines_registered` ON `machines` (`registered_at`,`id`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`asset_id` text NOT NULL,
	`org_id` text NOT NULL,
	`playback_id` text NOT NULL,
	`status` text NOT NULL,
	`playback` text NOT NULL,
	`ai_options` text NOT NULL,
	`requested_options` text NOT NULL,
	`info` text,
	`plan` text,
	`encoders` text,
	`duration_sec` real,
	`version` integer DEFAULT 0 NOT NULL,
	`published_version` integer DEFAULT 0 NOT NULL,
	`all_published_at` integer,
	`advance_at` integer,
	`worker_kind` text,
	`hw_accel_used` integer DEFAULT false NOT NULL,
	`error` text,
	`trace_id` text,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`planned_at` integer,
	`ended_at` integer,
	`updated_at` integer NOT NULL,
	`left_out` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_unfinished` ON `jobs` (`asset_id`) WHERE status in ('queued', 'processing');--> statement-breakpoint
CREATE INDEX `jobs_asset` ON `jobs` (`asset_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_org` ON `jobs` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `jobs_advance` ON `jobs` (`advance_at`) WHERE advance_at is not null;--> statement-breakpoint
CREATE INDEX `jobs_waiting` ON `jobs` (`updated_at`) WHERE status in ('queued', 'processing');--> statement-breakpoint
CREATE INDEX `jobs_ended` ON `jobs` (`ended_at`) WHERE ended_at is not null;--> statement-breakpoint
CREATE TABLE `renditions` (
	`asset_id` text NOT NULL,
	`rung_id` text NOT NULL,
	`job_id` text NOT NULL,
	`position` integer NOT NULL,
	`quality` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`bitrate_kbps` integer NOT NULL,
	`codec` text NOT NULL,
	`download_key` text,
	`download_bytes` integer,
	PRIMARY KEY(`asset_id`, `rung_id`)
);
--> statement-breakpoint
CREATE TABLE `task_failures` (
	`task_id` text NOT NULL,
	`epoch` integer NOT NULL,
	`job_id` text NOT NULL,
	`asset_id` text NOT NULL,
	`org_id` text NOT NULL,
	`machine_id` text,
	`kind` text NOT NULL,
	`reason` text NOT NULL,
	`message` text NOT NULL,
	`log` text,
	`started_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`task_id`, `epoch`)
);
--> statement-breakpoint
CREATE INDEX `task_failures_created` ON `task_failures` (`created_at`,`machine_id`);--> statement-breakpoint
CREATE INDEX `task_failures_asset` ON `task_failures` (`asset_id`);--> statement-breakpoint
CREATE TABLE `tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`job_id` text NOT NULL,
	`asset_id` text NOT NULL,
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`position` integer NOT NULL,
	`rank` integer NOT NULL,
	`lane` text NOT NULL,
	`source_id` text,
	`state` text NOT NULL,
	`epoch` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`expiries` integer DEFAULT 0 NOT NULL,
	`redone` integer DEFAULT 0 NOT NULL,
	`machine_id` text,
	`due_at` integer NOT NULL,
	`deadline_at` integer,
	`deadline_sec` integer NOT NULL,
	`spec` text NOT NULL,
	`result` text,
	`progress` real DEFAULT 0 NOT NULL,
	`weight` real NOT NULL,
	`upload_key` text,
	`upload_id` text,
	`work_sec` real,
	`media_sec` real,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tasks_job` ON `tasks` (`job_id`,`kind`,`position`);--> statement-breakpoint
CREATE INDEX `tasks_lane` ON `tasks` (`org_id`,`lane`,`rank`,`created_at`,`id`) WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `tasks_source` ON `tasks` (`source_id`,`rank`,`created_at`,`id`) WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `tasks_running` ON `tasks` (`org_id`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `tasks_machine` ON `tasks` (`machine_id`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `tasks_lease` ON `tasks` (`due_at`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `tasks_asset` ON `tasks` (`asset_id`);--> statement-breakpoint
CREATE INDEX `tasks_done` ON `tasks` (`ended_at`,`machine_id`) WHERE state = 'done';--> statement-breakpoint
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
