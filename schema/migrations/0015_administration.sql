CREATE TABLE `asset_error_groups` (
	`fingerprint` text PRIMARY KEY NOT NULL,
	`message` text NOT NULL,
	`occurrences` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `asset_error_groups_seen` ON `asset_error_groups` (`last_seen_at`,`fingerprint`);--> statement-breakpoint
DROP INDEX `dead_letters_created`;--> statement-breakpoint
ALTER TABLE `dead_letters` ADD `retry_at` integer;--> statement-breakpoint
ALTER TABLE `dead_letters` ADD `retried_at` integer;--> statement-breakpoint
CREATE INDEX `dead_letters_retries` ON `dead_letters` (`retry_at`) WHERE retry_at is not null and retried_at is null;--> statement-breakpoint
CREATE INDEX `dead_letters_created` ON `dead_letters` (`created_at`,`id`);--> statement-breakpoint
DROP INDEX `webhook_endpoints_failing`;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_failing` ON `webhook_endpoints` (`failing_since`,`id`) WHERE failing_since is not null;--> statement-breakpoint
ALTER TABLE `assets` ADD `error_fingerprint` text;--> statement-breakpoint
CREATE INDEX `assets_error` ON `assets` (`error_fingerprint`,`created_at`,`id`) WHERE error_fingerprint is not null;--> statement-breakpoint
ALTER TABLE `machines` ADD `hourly_price_micros` integer;--> statement-breakpoint
ALTER TABLE `orgs` ADD `tier_override` text;--> statement-breakpoint
ALTER TABLE `orgs` ADD `tier_override_until` integer;--> statement-breakpoint
ALTER TABLE `orgs` ADD `tier_override_reason` text;--> statement-breakpoint
CREATE INDEX `orgs_name` ON `orgs` (lower(name));--> statement-breakpoint
CREATE INDEX `orgs_created` ON `orgs` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orgs_tier` ON `orgs` (`tier`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orgs_tier_override` ON `orgs` (`tier_override`,`created_at`,`id`) WHERE tier_override is not null;--> statement-breakpoint
CREATE INDEX `orgs_suspended` ON `orgs` (`created_at`,`id`) WHERE suspended_at is not null;--> statement-breakpoint
ALTER TABLE `users` ADD `locked_at` integer;--> statement-breakpoint
CREATE INDEX `users_name` ON `users` (lower(name));--> statement-breakpoint
CREATE INDEX `users_superadmins` ON `users` (`id`) WHERE is_superadmin = 1;--> statement-breakpoint
CREATE INDEX `users_locked` ON `users` (`id`) WHERE locked_at is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_failed` ON `webhook_deliveries` (`endpoint_id`) WHERE state = 'failed';