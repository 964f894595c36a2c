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
ALTER TABLE `orgs` ADD `paid_tier` text;--> statement-breakpoint
ALTER TABLE `orgs` ADD `paid_tier_until` integer;--> statement-breakpoint
CREATE INDEX `orgs_paid_tier` ON `orgs` (`paid_tier`,`created_at`,`id`) WHERE paid_tier is not null;